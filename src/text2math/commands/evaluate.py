"""The command ``text2math evaluate``: a model on problems with known answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from text2math.commands.exam import exam_to_dict, missed, show_exam
from text2math.commands.examples import Data, load_examples
from text2math.commands.options import (
    Json,
    KnowledgeFile,
    MinProbability,
    Model,
    NoKnowledge,
    Strict,
    Workers,
    chosen_knowledge,
)
from text2math.data import Dataset
from text2math.data.alignments import Alignment, read_alignments, shipped_alignments
from text2math.data.corpus import PLAIN
from text2math.evaluation.alignment import alignment_score
from text2math.evaluation.exam import ALL_PARTS, ExamReport, sit_exam
from text2math.evaluation.metrics import METRICS, Prediction, load_errata, metrics_of
from text2math.language.problem import Example
from text2math.mathematics.notation import to_infix
from text2math.model.calibration import expected_error
from text2math.parse import Parse
from text2math.parser import DEFAULT_MODEL, load

EXAM = "exam"


def evaluate(
    names: Annotated[
        list[str], typer.Argument(metavar="DATA", help="A .jsonl file or data set, or several.")
    ],
    *,
    model: Model = DEFAULT_MODEL,
    data: Data = None,
    workers: Workers = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="List the problems it got wrong.")] = False,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part", help="Only this part of the exam; repeat for more.", show_default=", ".join(ALL_PARTS)
        ),
    ] = None,
    alignment: Annotated[
        bool, typer.Option("--alignment", help="Also measure which words the operators own.")
    ] = False,
    annotations: Annotated[
        Path | None,
        typer.Option(
            "--annotations",
            help="With --alignment, a file of alignments.",
            show_default="those of exam and corpus in the package",
        ),
    ] = None,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
    min_probability: MinProbability = None,
    strict: Strict = False,
    as_json: Json = False,
) -> int:
    """Measure a model, which gets nothing but the text (the honest protocol).

    For data sets that the model was trained on, use cross-validate instead. An answer that --min-probability
    or --strict withholds counts as wrong. The exam is reported part by part. The metrics above its parts are
    those of the plain part.
    """
    if part and names != [EXAM]:
        raise ValueError("--part names parts of the exam: text2math evaluate exam --part systems")
    if annotations is not None and not alignment:
        raise ValueError("--annotations is used by --alignment: give both")
    loaded = load(model)
    parser = loaded.with_knowledge(chosen_knowledge(knowledge, no_knowledge))
    # With --no-knowledge, a model is tested on the same problems as with knowledge.
    facts = parser.model.knowledge or loaded.model.knowledge
    if alignment and annotations is None:
        facts = False  # our annotations are of golds with written numbers; knowledge may map to other ones
    read = partial(
        parser.parse_many,
        workers=workers,
        top=1,
        min_probability=min_probability,
        strict=strict,
        errors="warn",
    )
    datasets: list[Dataset] = []
    exam = sit_exam(read, part or ALL_PARTS) if names == [EXAM] else None
    if exam is None:
        datasets, examples = load_examples(names, data, "evaluate on", knowledge=facts)
        parses = list(read([example.problem.text for example in examples]))
    else:
        examples, parses = _plain(exam)
    report = _report(examples, parses) if examples else {}
    if alignment:
        aligned = _aligned(names, examples, annotations)
        report["alignment"] = _alignment(aligned, examples, parses)
    if exam is not None:
        report |= {"exam": exam_to_dict(exam), "wrong": missed(exam)}
    if as_json:
        print(json.dumps(report if wrong else {key: report[key] for key in report if key != "wrong"}))
    else:
        _show(report, wrong, exam)
    return 1 if any(dataset.problems_failed for dataset in datasets) else 0


def _plain(exam: ExamReport[Parse]) -> tuple[list[Example], list[Parse]]:
    """The problems of the plain part with their parses, for metrics that are comparable with older models."""
    examples, parses = [], []
    for mark in exam.marks:
        if mark.question.part == PLAIN and mark.question.example is not None:
            examples.append(mark.question.example)
            parses.append(mark.answer)
    return examples, parses


def _report(examples: Sequence[Example], parses: Sequence[Parse]) -> dict[str, Any]:
    errata = load_errata()
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    given, marks, missed = [], [], []
    for example, parse in zip(examples, parses, strict=True):
        spans = tuple((name, phrase.start, phrase.end) for name, phrase in parse.variables.items())
        verdicts = metrics_of(
            Prediction(parse.mathematics, spans, parse.answers or None),
            example,
            errata.get((example.source, example.problem.id)),
        )
        asked.update(list(verdicts))
        right.update(name for name, is_right in verdicts.items() if is_right)
        if parse.probability is not None:
            given.append(parse.probability)
            marks.append(verdicts["accuracy"])
        if not verdicts["accuracy"]:
            missed.append(_missed(example, parse))
    return {
        "problems": len(examples),
        "unanswered": len(examples) - len(given),
        "metrics": {name: {"right": right[name], "all": asked[name]} for name in METRICS if name in asked},
        "calibration_error": round(expected_error(given, marks), 4) if given else None,
        "wrong": missed,
    }


def _aligned(
    names: Sequence[str], examples: Sequence[Example], annotations: Path | None
) -> tuple[Alignment, ...]:
    """The alignments of the annotated problems; raises an error if there are none."""
    found = read_alignments(annotations, examples) if annotations else shipped_alignments(examples)
    if not found:
        raise ValueError(
            f"{', '.join(names)}: none of these problems is annotated in "
            f"{annotations or 'the annotations of exam and corpus'}; lines are matched by source and id"
        )
    return found


def _alignment(
    aligned: Sequence[Alignment], examples: Sequence[Example], parses: Sequence[Parse]
) -> dict[str, Any]:
    best = {
        (example.source, example.problem.id): parse.best
        for example, parse in zip(examples, parses, strict=True)
    }
    candidates = [best[one.example.source, one.example.problem.id] for one in aligned]
    return alignment_score(aligned, candidates).to_dict()


def _missed(example: Example, parse: Parse) -> dict[str, Any]:
    gold = example.expression
    return {
        "id": example.problem.id,
        "text": example.problem.text,
        "gold": None if gold is None else to_infix(gold),
        "found": None if parse.mathematics is None else to_infix(parse.mathematics),
        "probability": parse.probability,
    }


def _show(report: dict[str, Any], wrong: bool, exam: ExamReport[Parse] | None) -> None:
    console = Console()
    if "problems" in report:
        _show_metrics(report, console)
    if "alignment" in report:
        console.print(_alignment_table(report["alignment"]))
    if exam is not None:
        show_exam(exam, console)
    for row in report["wrong"] if wrong else ():
        line = f"{row['id']}: {row['found']} instead of {row['gold']}: {row['text']}"
        console.print(line, markup=False, highlight=False)


def _show_metrics(report: dict[str, Any], console: Console) -> None:
    table = Table("metric", title=f"{report['problems']:,} problems, {report['unanswered']} unanswered")
    table.add_column("right", justify="right")
    table.add_column("%", justify="right")
    for name, tally in report["metrics"].items():
        share = f"{100 * tally['right'] / tally['all']:.1f}"
        table.add_row(name, f"{tally['right']} of {tally['all']}", share)
    console.print(table)
    if report["calibration_error"] is not None:
        console.print(f"expected calibration error: {report['calibration_error']:.3f}", highlight=False)


ALIGNMENT_ROWS = {
    "problems": "annotated problems read correctly",
    "paired": "their operators found in the tree",
    "clearest": "operators that own one of their clearest words",
    "wordless": "operators that own no word",
    "wordless_despite_cue": "operators that own no word although there is a clear one",
    "cues": "content words of operators that are cues",
    "unknowns": "unknowns that own a word of their phrase",
}


def _alignment_table(shares: dict[str, dict[str, int]]) -> Table:
    table = Table("alignment", title="which words the operators own")
    table.add_column("count", justify="right")
    table.add_column("%", justify="right")
    for name, label in ALIGNMENT_ROWS.items():
        count, of = shares[name]["count"], shares[name]["of"]
        table.add_row(label, f"{count} of {of}", f"{100 * count / of:.1f}" if of else "–")
    return table
