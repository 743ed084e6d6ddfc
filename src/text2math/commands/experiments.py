"""The commands ``text2math cross-validate``, ``tables`` and ``errors``."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from text2math.bulk.cluster import runner
from text2math.commands.examples import Data
from text2math.commands.messages import say
from text2math.commands.options import Json, missing_for_networks
from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.data.systems import whole_problems
from text2math.evaluation.crossvalidation import Protocol
from text2math.evaluation.error_analysis import confusions, counts, mistakes, paper_examples
from text2math.evaluation.paper import ENCODERS, PIPELINE, SYSTEM_SETS, Row, choose_rows, needs_torch
from text2math.evaluation.tables import (
    COMPLETE_RUN,
    IDENTIFICATION,
    Results,
    origin,
    read_results,
    to_csv,
    to_latex,
    to_markdown,
    to_rows,
    write_results,
)
from text2math.evaluation.variants import (
    RULES,
    WINDOW_SEEDS,
    Outcome,
    describe,
    has_window,
    trained_variant,
    variant_config,
    window_plan,
    with_published_rules,
)
from text2math.language.lexicon import Lexicon
from text2math.learning.crossvalidation import (
    Task,
    evaluate_variant,
    evaluate_variants,
    identify_numbers,
    predict_folds,
)
from text2math.learning.training import fit
from text2math.model.config import ModelConfig
from text2math.parallel import Runner, available_cores

Name = Annotated[
    str, typer.Argument(help="ai2, il, commoncore, equations, allarith, or a .jsonl file in our format.")
]
ProtocolOption = Annotated[str, typer.Option(help="honest (the text alone) or paper (gold numbers given).")]
Variant = Annotated[str, typer.Option(help="A variant of the model, such as no-pos or prefix-x+inverse.")]
Folds = Annotated[int | None, typer.Option(help="Make this many folds instead of using the data set's own.")]
Encoder = Annotated[
    Path | None,
    typer.Option(help="The Hugging Face folder that the encoder starts from.", show_default=False),
]
Work = Annotated[
    Path | None,
    typer.Option(help="A folder that keeps trained networks.", show_default=False),
]
Workers = Annotated[int | None, typer.Option(help="Processes that train at a time; by default one per core.")]
Cluster = Annotated[
    str | None,
    typer.Option(help="Run the folds on a Dask scheduler, tcp://host:8786, or local:4.", show_default=False),
]
FORMATS = ("markdown", "csv", "latex", "json")


def cross_validate(
    name: Name,
    *,
    data: Data = None,
    protocol: ProtocolOption = "honest",
    variant: Variant = "full",
    folds: Folds = None,
    steps: Annotated[int | None, typer.Option(help="Training steps.")] = None,
    l2: Annotated[float | None, typer.Option(help="Regularisation strength.")] = None,
    optimizer: Annotated[str | None, typer.Option(help="lbfgs, adam or sgd.")] = None,
    lexicon: Annotated[Path | None, typer.Option(help="A lexicon of your own (JSON).")] = None,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
    model: Annotated[str, typer.Option(help="discrete, or encoder (the contextual scorer).")] = "discrete",
    encoder: Encoder = None,
    pool: Annotated[
        bool, typer.Option("--pool", help="encoder: train on other data sets too, without the test fold.")
    ] = False,
    stories: Annotated[int, typer.Option(min=0, help="encoder: first train on this many stories.")] = 0,
    add_discrete: Annotated[
        bool, typer.Option("--add-discrete", help="encoder: add the discrete model's scores.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Train networks with this many random seeds; report the mean.")
    ] = None,
    keep_twins: Annotated[
        bool,
        typer.Option(
            "--keep-twins",
            help="Keep training problems that differ from a test problem only in their numbers.",
        ),
    ] = False,
    work: Work = None,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Train and test on a data set, fold by fold; accuracy is the mean over the folds, in percent."""
    if model not in ("discrete", "encoder"):
        raise ValueError(f"--model must be discrete or encoder, not {model!r}")
    if model == "encoder" and cluster is not None:
        raise ValueError("--cluster is for discrete and window models: an encoder trains on one machine")
    base = _config(steps, l2, optimizer, seed, lexicon)
    if model == "encoder":
        if protocol != "honest":
            raise ValueError("the encoder is evaluated on the text alone: use --protocol honest")
        _require_torch()
        from text2math.neural.crossvalidation import EncoderPlan

        larger = name in SYSTEM_SETS
        if larger and add_discrete:
            raise ValueError(f"{name}: discrete models do not read systems; leave out --add-discrete")
        plan = EncoderPlan.of(
            pool=pool, stories=stories, discrete=add_discrete, seeds=seeds or 1, larger=larger
        )
        with tempfile.TemporaryDirectory() as temporary:
            folders = _Folders(_checked_encoder(encoder), data, work or Path(temporary))
            outcome = _run_encoder(
                folders.dataset(name, folds, seed), "encoder", plan, folders, own=folds is None
            )
        config = asdict(plan)
    else:
        dataset = _folded(load(name, data), folds, seed)
        if pool or stories or add_discrete or encoder:
            raise ValueError("--pool, --stories, --add-discrete and --encoder need --model encoder")
        config = describe(variant_config(variant, _protocol(protocol), base, dataset=dataset.name))
        with runner(cluster) as run:
            options = _DiscreteOptions(_protocol(protocol), base, seeds, workers, run, keep_twins)
            outcome = _run_discrete(dataset, variant, options)
    if as_json:
        typer.echo(json.dumps(outcome.to_dict() | {"configuration": config} | origin()))
        return
    typer.echo(outcome.report.to_markdown())
    typer.echo(_summary(outcome))


class _DiscreteOptions(NamedTuple):
    """How a discrete model, and perhaps a window network, is cross-validated."""

    protocol: Protocol
    base: ModelConfig
    seeds: int | None
    workers: int | None
    run: Runner
    keep_twins: bool


def _run_discrete(dataset: Dataset, variant: str, options: _DiscreteOptions) -> Outcome:
    bars = sys.stderr.isatty()
    if not has_window(variant):
        return evaluate_variant(
            dataset,
            variant,
            options.protocol,
            base=options.base,
            workers=options.workers,
            progress=bars,
            run=options.run,
            keep_twins=options.keep_twins,
        )
    if options.keep_twins:
        raise ValueError("--keep-twins is for discrete models")
    _require_torch()
    from text2math.neural.crossvalidation import evaluate_windows  # the extra [torch]

    windows = evaluate_windows(
        dataset,
        [variant],
        options.protocol,
        variant_config(variant, options.protocol, options.base, dataset=dataset.name),
        seeds=options.seeds or WINDOW_SEEDS,
        workers=options.workers,
        progress=bars,
        run=options.run,
    )
    return next(windows)


class _Folders(NamedTuple):
    """The folders of the encoder, of the data sets, and of trained networks."""

    encoder: Path
    data: Path | None
    work: Path

    def dataset(self, name: str, folds: int | None = None, seed: int = 0) -> Dataset:
        """A data set in its own folds, or in new ones; one of systems is read with the larger grammar."""
        if name not in SYSTEM_SETS:
            return _folded(load(name, self.data), folds, seed)
        from text2math.neural.crossvalidation import system_set  # the extra [torch]

        found = system_set(name, self.data, self.work)
        # In new folds, a derived sentence could be separated from its problem.
        return found if folds is None else whole_problems(found).with_folds(folds, seed)


def _checked_encoder(encoder: Path | None) -> Path:
    """The folder that the encoder starts from, checked before anything that takes time."""
    if encoder is None:
        raise ValueError("the encoder starts from a Hugging Face folder: give --encoder FOLDER")
    if not (encoder / "tokenizer.json").is_file():
        raise ValueError(f"{encoder}: no tokenizer.json there; give a Hugging Face folder")
    return encoder


def _run_encoder(
    dataset: Dataset, variant: str, plan: Any, folders: _Folders, *, own: bool = True
) -> Outcome:
    """Cross-validate the contextual scorer; some data sets test only some of their ``own`` folds."""
    from text2math.neural.crossvalidation import evaluate_encoder

    tested = SYSTEM_SETS.get(dataset.name) if own else None
    return evaluate_encoder(
        dataset, variant, plan, folders.encoder, tested=tested, data=folders.data, work=folders.work, tell=say
    )


def _require_torch() -> None:
    if reason := missing_for_networks():
        raise ValueError(reason)


def _summary(outcome: Outcome) -> str:
    memory = "" if outcome.peak_mb is None else f", at most {outcome.peak_mb:.0f} MB per process"
    return (
        f"{outcome.dataset}, {outcome.variant}, {outcome.protocol}: {outcome.accuracy:.1f} % of "
        f"{outcome.problems} problems in {outcome.seconds:.0f} s{memory}"
    )


def _config(
    steps: int | None, l2: float | None, optimizer: str | None, seed: int, lexicon: Path | None
) -> ModelConfig:
    config = ModelConfig()
    training = replace(config.training, seed=seed)
    if steps is not None:
        training = replace(training, steps=steps)
        config = replace(config, inner_steps=min(steps, config.inner_steps))
    if l2 is not None:
        training = replace(training, l2=l2)
    if optimizer is not None:
        training = replace(training, optimizer=optimizer)
    if lexicon is not None:
        config = replace(config, features=replace(config.features, lexicon=Lexicon.read(lexicon)))
    return replace(config, training=training)


def _protocol(name: str) -> Protocol:
    if name == "honest":
        return "honest"
    if name == "paper":
        return "paper"
    raise ValueError(f"--protocol must be honest or paper, not {name!r}")


def _folded(dataset: Dataset, folds: int | None, seed: int) -> Dataset:
    if folds is None and dataset.folds:
        return dataset
    return dataset.with_folds(5 if folds is None else folds, seed)


def tables(
    *,
    data: Data = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only these rows: a table, a data set, a variant, or data set/variant."),
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="Only this protocol: honest or paper.", show_default=False)
    ] = None,
    results: Annotated[Path | None, typer.Option(help="A folder to write the results to.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Run only what the results folder does not have yet.")
    ] = False,
    encoder: Encoder = None,
    work: Work = None,
    workers: Workers = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Train window networks with this many random seeds; report the mean.")
    ] = WINDOW_SEEDS,
    cluster: Cluster = None,
    form: Annotated[str, typer.Option("--format", help=f"Print {', '.join(FORMATS)}.")] = "markdown",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, as --format json does.")] = False,
) -> None:
    """Run the paper's tables: its figure, ours under the paper's protocol, ours from the text alone.

    Every figure is recorded with its command, version and date. With --results, each is written as soon as it
    is known, and results of earlier runs are kept unless they are run again.
    """
    form = "json" if as_json else form
    if form not in FORMATS:
        raise ValueError(f"--format must be one of {', '.join(FORMATS)}, not {form!r}")
    if resume and results is None:
        raise ValueError("--resume continues the results in a folder: give --results FOLDER")
    if protocol is not None:
        _protocol(protocol)
    began, rows = time.perf_counter(), choose_rows(only or [])
    found = read_results(results) if results is not None else {}
    wanted = tuple(
        dict.fromkeys(
            _Wanted(row.dataset, row.variant, p)
            for row in rows
            for p in row.protocols
            if protocol in (None, p)
            if row.variant and not (resume and _is_done(found.get(f"{row.key}/{p}"), row.variant, seeds))
        )
    )
    notes = _cannot_run(rows, encoder)
    possible = [one for one in wanted if one.key not in notes]
    datasets: dict[str, Dataset] = {}
    with tempfile.TemporaryDirectory() as temporary, runner(cluster) as runs:
        run = _Run(data, workers, encoder, work or Path(temporary), datasets, runs, seeds)
        for outcome in run.outcomes(possible):
            print(_summary(outcome), file=sys.stderr)
            key = f"{outcome.dataset}/{outcome.variant}/{outcome.protocol}"
            found[key] = outcome.to_dict() | origin()
            if results is not None:
                found = read_results(results) | {key: found[key]}  # another run may have written to it
                write_results(results, found)
    more: Results = {}
    if any(one.dataset == "equations" and not one.neural for one in wanted):
        more[IDENTIFICATION] = _identification(datasets["equations"]) | origin()
    if not (only or protocol or resume):
        more[COMPLETE_RUN] = _time_since(began, len(possible), seeds, workers) | origin()
    found = found | more
    if results is not None and more:
        write_results(results, found)
    typer.echo(_as_text(form, found, rows, notes))


def _time_since(began: float, figures: int, seeds: int, workers: int | None) -> dict[str, int]:
    return {
        "seconds": round(time.perf_counter() - began),
        "figures": figures,
        "seeds": seeds,
        "workers": available_cores() if workers is None else workers,
    }


def _as_text(form: str, found: Results, rows: Sequence[Row], notes: Mapping[str, str]) -> str:
    match form:
        case "json":
            return json.dumps({"rows": to_rows(found, rows), "runs": found})
        case "csv":
            return to_csv(found, rows).rstrip("\n")
        case "latex":
            return to_latex(found, rows)
        case _:
            return to_markdown(found, rows, notes)


def _is_done(one: Mapping[str, Any] | None, variant: str, seeds: int) -> bool:
    """Whether there is a result, with at least as many random seeds as wanted."""
    return one is not None and (not has_window(variant) or len(one["wrong"]) >= seeds)


def _cannot_run(rows: Sequence[Row], encoder: Path | None) -> dict[str, str]:
    """What is missing to run a row, by the keys of the rows that can't be run."""
    notes = {}
    for row in rows:
        if row.neural and (reason := missing_for_networks()):
            notes[row.key] = reason
        elif row.variant in ENCODERS and encoder is None:
            notes[row.key] = "needs --encoder FOLDER"
        elif row.variant == PIPELINE:
            notes[row.key] = "python experiments/pipeline.py"
    return notes


class _Wanted(NamedTuple):
    """A figure to compute: a variant's accuracy on a data set, under a protocol."""

    dataset: str
    variant: str
    protocol: Protocol

    @property
    def key(self) -> str:
        """The key of its row."""
        return f"{self.dataset}/{self.variant}"

    @property
    def neural(self) -> bool:
        """Whether it needs torch."""
        return needs_torch(self.variant)


def _discrete_model(one: _Wanted) -> tuple[str, str, Protocol]:
    """The discrete model that a window network builds on; windows that share it are run together."""
    return one.dataset, window_plan(one.variant).discrete, one.protocol


@dataclass(frozen=True, slots=True)
class _Run:
    """Runs rows of the tables; models that rows share are trained once."""

    data: Path | None
    workers: int | None
    encoder: Path | None
    work: Path
    datasets: dict[str, Dataset]
    run: Runner
    seeds: int  # of window networks

    def outcomes(self, wanted: Sequence[_Wanted]) -> Iterator[Outcome]:
        """The outcomes that are wanted; the window networks of a data set are run together."""
        yield from self._discrete([one for one in wanted if not one.neural])
        for one in wanted:
            if one.variant in ENCODERS:
                yield self._encoder(one.dataset, one.variant)
        windows = [one for one in wanted if has_window(one.variant)]
        for key in dict.fromkeys(map(_discrete_model, windows)):
            yield from self._windows(*key, [one.variant for one in windows if _discrete_model(one) == key])

    def _discrete(self, wanted: Sequence[_Wanted]) -> Iterator[Outcome]:
        """Rows without a network. Their folds share the processes, and one training may serve several."""
        rows: dict[_Wanted, list[_Wanted]] = {}  # by what is trained for them
        for one in wanted:
            rows.setdefault(one._replace(variant=trained_variant(one.variant)), []).append(one)
        tasks = [Task(self._load(one.dataset), one.variant, one.protocol) for one in rows]
        if not tasks:
            return
        for trained in evaluate_variants(
            tasks, workers=self.workers, progress=sys.stderr.isatty(), run=self.run
        ):
            for one in rows[_Wanted(trained.dataset, trained.variant, trained.protocol)]:
                if RULES in one.variant.split("+"):
                    yield with_published_rules(trained, self._load(one.dataset), one.variant)
                else:
                    yield replace(trained, variant=one.variant)

    def _windows(
        self, name: str, discrete: str, protocol: Protocol, variants: Sequence[str]
    ) -> Iterator[Outcome]:
        from text2math.neural.crossvalidation import evaluate_windows  # the extra [torch]

        yield from evaluate_windows(
            self._load(name),
            variants,
            protocol,
            variant_config(discrete, protocol, dataset=name),
            seeds=self.seeds,
            workers=self.workers,
            progress=sys.stderr.isatty(),
            run=self.run,
        )

    def _encoder(self, name: str, variant: str) -> Outcome:
        from text2math.neural.crossvalidation import EncoderPlan  # the extra [torch]

        plan = EncoderPlan.named(variant, larger=name in SYSTEM_SETS)
        folders = _Folders(_checked_encoder(self.encoder), self.data, self.work)
        return _run_encoder(folders.dataset(name), variant, plan, folders)

    def _load(self, name: str) -> Dataset:
        if name not in self.datasets:
            self.datasets[name] = load(name, self.data)
        return self.datasets[name]


def _identification(dataset: Dataset) -> dict[str, Any]:
    folds = identify_numbers(dataset)
    mean = sum(folds) / len(folds)
    return {"paper": 95.3, "accuracy": round(mean, 2), "folds": [round(fold, 2) for fold in folds]}


def errors(
    name: Annotated[
        str, typer.Argument(help="A data set, or 'examples' for those printed in the paper.")
    ] = "examples",
    *,
    data: Data = None,
    protocol: ProtocolOption = "honest",
    variant: Variant = "full",
    folds: Folds = None,
    fold: Annotated[list[int] | None, typer.Option(help="Only these folds, counted from 0.")] = None,
    as_json: Json = False,
) -> None:
    """Show the kinds of mistakes that the model makes, fold by fold, each with its problem."""
    if name == "examples":
        _show_examples(data, _protocol(protocol), as_json)
        return
    dataset = _folded(load(name, data), folds, 0)
    found = mistakes(predict_folds(dataset, variant, _protocol(protocol), folds=fold))
    if as_json:
        document = {
            "counts": counts(found),
            "confusions": dict(confusions(found)),
            "mistakes": [asdict(mistake) for mistake in found],
        }
        typer.echo(json.dumps(document))
        return
    for kind, by_fold in counts(found).items():
        typer.echo(f"{kind}: {sum(by_fold.values())} {by_fold}")
    for confusion, count in confusions(found):
        typer.echo(f"{count} times {confusion}")
    for mistake in found:
        typer.echo(f"\nfold {mistake.fold}, problem {mistake.id}: {mistake.kind}\n  {mistake.text}")
        typer.echo(f"  gold       {mistake.gold}\n  predicted  {mistake.predicted or 'nothing'}")


def _show_examples(data: Path | None, protocol: Protocol, as_json: bool) -> None:
    config = variant_config("full", protocol)
    found = paper_examples(
        [load("equations", data), load("il", data)], lambda examples: fit(examples, config)
    )
    if as_json:
        typer.echo(json.dumps([asdict(result) for result in found]))
        return
    for result in found:
        one = result.example
        typer.echo(f"\n{one.name} ({one.dataset}): {one.text}\n  gold   {one.gold}\n  paper  {one.paper}")
        typer.echo(f"  ours   {result.predicted or 'nothing'} ({'right' if result.right else 'wrong'})")
