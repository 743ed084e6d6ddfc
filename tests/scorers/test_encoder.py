"""The contextual scorer: inputs, the exact likelihood in torch, training, export, and the model around it."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fakes import Letters, fact_model
from text2math.cli import main
from text2math.data import Dataset
from text2math.data.distraction import distracted, remarks
from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import ARITHMETIC, EQUATIONS, LARGER_GRAMMAR, PAPER_GRAMMAR, Forest
from text2math.inference.potentials import FIRST_GRAMMAR, Potentials, Symbol, symbols_named
from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example, read_problem
from text2math.language.quantity import Source
from text2math.mathematics.algebra import equivalent, evaluate
from text2math.mathematics.notation import from_infix
from text2math.mathematics.relations import RELATIONS
from text2math.model.candidates import Candidate
from text2math.model.cards import card_text
from text2math.model.storage import ModelFileError, load_model, save_model
from text2math.neural.evaluation import Evaluated, apart_from, evaluate_model
from text2math.neural.lessons import Lesson, prepare
from text2math.parser import Parser, load, packaged
from text2math.scorers.encoder import (
    FEATURE_COUNT,
    FEATURES,
    FIXED_OUTPUTS,
    QUANTITY_FEATURES,
    STEP_OUTPUTS,
    Columns,
    Inputs,
    Outputs,
    WordPieces,
    pad,
    read_inputs,
    to_potentials,
)

TEXT = "Mike picked 7 apples. Nancy picked 3.5 apples for $2. How many apples were picked?"


def inputs_of(text: str) -> Inputs:
    return read_inputs(read_problem(text), Letters())


def test_every_word_points_at_its_first_piece() -> None:
    problem = read_problem("Ann has 12 dogs.")
    inputs = read_inputs(problem, Letters())
    assert inputs.words == len(problem.tokens)
    for word, start in zip(problem.tokens, inputs.bounds[1:-1], strict=True):
        shown = "5" if word.text == "12" else word.text
        assert inputs.ids[start] == Letters()(shown)[0]
    assert inputs.ids[inputs.bounds[0]] == 1
    assert inputs.ids[inputs.bounds[-1]] == 2


def test_texts_that_differ_only_in_the_digits_of_alike_numbers_read_the_same() -> None:
    one, two = inputs_of("Ann has 12 dogs and 7 cats."), inputs_of("Ann has 31 dogs and 9 cats.")
    assert np.array_equal(one.ids, two.ids)
    assert np.array_equal(one.features, two.features)


def test_facts_about_numbers_are_told() -> None:
    inputs = inputs_of(TEXT)
    facts = {
        name: [
            bool(inputs.features[inputs.bounds[1 + spot], FEATURES.index(name)]) for spot in inputs.anchors
        ]
        for name in ("the largest", "not whole", "counts what is asked", "written as money", "two")
    }
    assert facts["the largest"] == [True, False, False]
    assert facts["not whole"] == [False, True, False]
    assert facts["counts what is asked"] == [True, True, False]
    assert facts["two"] == [False, False, True]


def test_implied_numbers_are_told_with_what_they_refer_to_and_what_is_known() -> None:
    text = "Lily reads 8 pages a day, Ben reads 5 more than Lily. How many do they read in a week?"
    problem = read_problem(text, knowledge=True)
    inputs = read_inputs(problem, Letters())
    written = inputs.quantities[:, QUANTITY_FEATURES.index("written")]
    assert written.tolist() == [1, 1] + [0] * len(problem.implied)
    for place, quantity in enumerate(problem.all_quantities):
        if quantity.refers_to is not None:
            assert inputs.referents[place] == problem.anchors[quantity.refers_to]
        elif quantity.fact == "1 week = 7 days":
            assert inputs.quantities[place, QUANTITY_FEATURES.index("known to be 7")] == 1
            assert problem.tokens[inputs.anchors[place]].text in ("day", "week")
    assert {q.source for q in problem.implied} == {Source.KNOWN, Source.REFERRING}


def test_a_text_of_endless_words_still_fits_the_encoder() -> None:
    inputs = inputs_of(" ".join(["a" * 90] * 190))
    assert len(inputs.ids) <= 512
    assert inputs.words == 190


def test_what_training_hides_in_a_batch_of_one_stays_in_the_problem() -> None:
    inputs = inputs_of(TEXT)
    ids, features = inputs.ids.copy(), inputs.features.copy()
    padded = pad([inputs])
    padded["ids"][:] = 0
    padded["features"][:] = 9
    assert (inputs.ids == ids).all()
    assert (inputs.features == features).all()


def test_padding_leaves_each_problem_as_it_was() -> None:
    long, short = inputs_of(TEXT), inputs_of("7 and 3")
    arrays = pad([short, long])
    assert arrays["mask"].sum(axis=1).tolist() == [len(short.ids), len(long.ids)]
    assert np.array_equal(arrays["features"][1], long.features)
    assert arrays["features"].shape[2] == FEATURE_COUNT


def test_outputs_land_where_the_potentials_want_them() -> None:
    inputs = inputs_of("7 and 3")
    n = inputs.words
    step = np.arange((n + 1) * STEP_OUTPUTS, dtype=np.float32).reshape(1, n + 1, STEP_OUTPUTS)
    outputs = Outputs(step, np.zeros((1, FIXED_OUTPUTS), np.float32), np.array([[0.5, 2, 9]], np.float32))
    potentials = to_potentials(inputs, outputs)
    assert potentials.step[3, 2, 1, 0] == step[0, 2, 3 * 16 + 1 * 4]
    assert potentials.number.tolist() == [0.5, 2]


def test_a_network_of_a_smaller_grammar_is_mapped_by_name_and_new_symbols_are_forbidden() -> None:
    inputs, rng = inputs_of("7 and 3"), np.random.default_rng(0)
    columns = Columns(symbols_named(FIRST_GRAMMAR), symbols_named(["ADD", "CON", "X2"]), patterns=16)
    step_width, fixed_width = columns.widths
    step = rng.normal(size=(1, inputs.words + 1, step_width)).astype(np.float32)
    fixed = rng.normal(size=(1, fixed_width)).astype(np.float32)
    outputs = Outputs(step, fixed, np.zeros((1, inputs.words), np.float32))
    potentials = to_potentials(inputs, outputs, columns=columns)
    place, count = FIRST_GRAMMAR.index, len(FIRST_GRAMMAR)
    assert potentials.step[Symbol.CON, 2, 1, 0] == step[0, 2, place("CON") * 16 + 4]
    assert potentials.pattern[Symbol.ADD, 5] == fixed[0, place("ADD") * 16 + 5]
    child = count * 16 + (place("ADD") * 2 + 1) * count + place("X2")
    assert potentials.child[Symbol.ADD, 1, Symbol.X2] == fixed[0, child]
    assert potentials.root[Symbol.CON] == fixed[0, fixed_width - count + place("CON")]
    assert np.isneginf(potentials.pattern[:, 16:]).all()
    for symbol in set(Symbol) - set(columns.known):
        assert np.isneginf(potentials.root[symbol])
        assert np.isneginf(potentials.pattern[symbol]).all()
        assert np.isneginf(potentials.child[symbol]).all()
        assert np.isneginf(potentials.child[..., symbol]).all()


def test_the_forest_of_both_tasks_holds_the_trees_of_each_and_no_others() -> None:
    rng = np.random.default_rng(3)
    potentials = Potentials.zeros(5, [0, 3])
    for part in (potentials.step, potentials.pattern, potentials.child, potentials.root, potentials.number):
        part[...] = rng.normal(size=part.shape)
    parts = [TextMathCRF(Forest.full(one), potentials).log_partition for one in (ARITHMETIC, EQUATIONS)]
    both = TextMathCRF(PAPER_GRAMMAR.full, potentials).log_partition
    assert both == pytest.approx(float(np.logaddexp(*parts)))


# With torch ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch_network() -> object:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed")
    from text2math.neural.network import EncoderNetwork

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    encoder = transformers.BertModel(config, add_pooling_layer=False)
    return EncoderNetwork(encoder, dropout=0.0)


def example(text: str, gold: str) -> Example:
    return Example(read_problem(text), from_infix(gold))


EXAMPLES = [
    example("Tom had 7 cats and got 3 more. How many cats has he?", "7[0] + 3[1]"),
    example("Tom had 7 cats and lost 3. How many cats has he?", "7[0] - 3[1]"),
    example("A number plus 4 is 9.", "X1 + 4[0] = 9[1]"),
    example("There are 4 boxes of 6 pens. How many pens are there?", "4[0] * 6[1]"),
]


def test_the_likelihood_has_the_gradient_it_claims() -> None:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.likelihood import Charts, log_likelihood

    rng = np.random.default_rng(0)
    gold = [Forest.of(from_infix("7[0] + 3[1]")), Forest.of(from_infix("X1 + 7[0] = 3[1]"))]
    anchors = [np.array([0, 2], np.int32), np.array([1, 3], np.int32)]
    charts = Charts.of([3, 4], anchors, gold, [PAPER_GRAMMAR.full] * 2, threads=1)
    shapes = [(2, 5, STEP_OUTPUTS), (2, FIXED_OUTPUTS), (2, 4)]
    given = [torch.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes]
    value = log_likelihood(*given, charts)
    assert bool((value < 0).all())
    value.sum().backward()
    for tensor in given:
        flat = tensor.detach().reshape(-1)
        for spot in rng.choice(len(flat), min(12, len(flat)), replace=False):
            changed = []
            for change in (1e-5, -1e-5):
                moved = flat.clone()
                moved[spot] += change
                others = [one.detach() if one is not tensor else moved.reshape(tensor.shape) for one in given]
                changed.append(float(log_likelihood(*others, charts).sum()))
            slope = (changed[0] - changed[1]) / 2e-5
            assert float(tensor.grad.reshape(-1)[spot]) == pytest.approx(slope, abs=1e-6)


@pytest.mark.slow
def test_texts_beyond_the_grammar_are_told_from_the_others(torch_network: object) -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    import copy

    from text2math.neural.lessons import prepare
    from text2math.neural.network import TorchNetwork
    from text2math.neural.training import EncoderTraining, train

    riddle = Example(read_problem("What has 4 wheels and 2 wings but no feet?"), None)
    prepared = prepare([*EXAMPLES, riddle], Letters())
    network = copy.deepcopy(torch_network)
    config = EncoderTraining(epochs=80, batch=5, rate=1e-3, head_rate=1e-2, threads=1)
    train(network, prepared, config, hidden_piece=0)
    told = TorchNetwork(network)([one.inputs for one in prepared]).beyond
    assert told is not None
    assert told[-1] > told[:-1].max() + 1


@pytest.mark.slow
def test_what_is_asked_of_a_system_is_learned(torch_network: object) -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.model.asked import CHOICES
    from text2math.neural.lessons import prepare
    from text2math.neural.network import TorchNetwork
    from text2math.neural.training import EncoderTraining, train

    system = from_infix("X1 + X2 = 30[0]; X1 - X2 = 6[1]")
    problem = read_problem("A sum is 30 and a difference is 6. What is the first ?")
    other = read_problem("A sum is 30 and a difference is 6. What is the sum ?")
    examples = [
        Example(problem, system, asked=(from_infix("X1"),)),
        Example(other, system, asked=(from_infix("X1 + X2"),)),
    ]
    prepared = prepare(examples, Letters(), grammar=LARGER_GRAMMAR)
    assert [one.asked for one in prepared] == ["first", "sum"]
    network = copy.deepcopy(torch_network)
    config = EncoderTraining(epochs=80, batch=2, rate=1e-3, head_rate=1e-2, threads=1)
    train(network, prepared, config, hidden_piece=0, grammar=LARGER_GRAMMAR)
    asked = TorchNetwork(network)([one.inputs for one in prepared]).asked
    assert asked is not None
    assert [CHOICES[best] for best in asked.argmax(axis=1)] == ["first", "sum"]


def test_symbols_outside_the_forests_cost_nothing_and_change_nothing(torch_network: Any) -> None:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.likelihood import Charts, log_likelihood, symbols_of

    inputs = [read_inputs(one.problem, Letters()) for one in EXAMPLES]
    gold = [Forest.of(one.expression) for one in EXAMPLES if one.expression is not None]
    network = copy.deepcopy(torch_network).eval()  # without dropout, which is random
    for layer in (network.before, network.after, network.whole):
        torch.nn.init.normal_(layer.weight, std=0.1, generator=torch.Generator().manual_seed(1))
    full = PAPER_GRAMMAR.full
    chosen = symbols_of([full, *gold])
    assert len(chosen) == 8
    found = []
    for symbols in (tuple(range(len(Symbol))), chosen):
        charts = Charts.of(
            [one.words for one in inputs],
            [one.anchors for one in inputs],
            gold,
            [PAPER_GRAMMAR.full] * len(gold),
            1,
            symbols,
        )
        arrays = {name: torch.as_tensor(array) for name, array in pad(inputs).items()}
        step, fixed, number, *_ = network(**arrays, symbols=torch.tensor(symbols))
        assert step.shape[-1] == 16 * len(symbols)
        network.zero_grad()
        value = log_likelihood(step, fixed, number, charts)
        value.sum().backward()
        found.append((value.detach(), network.before.weight.grad, network.after.weight.grad))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_training_learns_and_resumes_to_the_same_weights(
    torch_network: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    import copy

    from text2math.neural import training
    from text2math.neural.lessons import prepare
    from text2math.neural.training import EncoderTraining, train

    prepared = prepare(EXAMPLES, Letters())
    config = EncoderTraining(
        epochs=4,
        batch=2,
        rate=1e-3,
        head_rate=1e-2,
        hide_words=0.1,
        hide_facts=0.2,
        against_all=1.0,  # else losses can't be compared
        threads=1,
    )
    losses: list[float] = []
    network = copy.deepcopy(torch_network).eval()  # without dropout, which is random
    train(network, prepared, config, hidden_piece=0, report=lambda progress: losses.append(progress.loss))
    start = copy.deepcopy(torch_network)
    first: list[float] = []
    one = EncoderTraining(**{**{f: getattr(config, f) for f in config.__slots__}, "epochs": 1})
    train(start, prepared, one, hidden_piece=0, report=lambda progress: first.append(progress.loss))
    assert losses[-1] < first[-1]
    path = tmp_path / "checkpoint.pt"
    steps = iter(range(5))  # two batches an epoch: it is cut off in the third epoch, after its first batch
    backward = training._backward

    def until_cut_off(*given: object) -> float:
        next(steps)
        return backward(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(training, "CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(training, "_backward", until_cut_off)
    resumed = copy.deepcopy(torch_network)
    with pytest.raises(StopIteration):
        train(resumed, prepared, config, hidden_piece=0, checkpoint=path)
    monkeypatch.setattr(training, "_backward", backward)
    resumed = copy.deepcopy(torch_network)
    train(resumed, prepared, config, hidden_piece=0, checkpoint=path)
    for left, right in zip(network.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(left, right)


def test_the_gradient_of_a_batch_is_the_mean_of_its_problems_gradients(torch_network: object) -> None:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    import copy

    from text2math.neural.lessons import prepare
    from text2math.neural.training import EncoderTraining, _backward, _lay_out

    lessons = prepare(EXAMPLES, Letters())
    assert len({one.inputs.words for one in lessons}) > 1  # so that some are padded
    network = copy.deepcopy(torch_network).eval()
    for layer in (network.before, network.after, network.whole, network.used):
        torch.manual_seed(1)
        torch.nn.init.normal_(layer.weight, std=0.1)

    def learned(*parts: list[Lesson]) -> tuple[float, list[Any]]:
        network.zero_grad(set_to_none=True)
        config = EncoderTraining(hide_words=0, hide_facts=0, against_all=1.0, threads=1)
        rng = np.random.default_rng(0)
        laid_out = [_lay_out(part, config, rng, 0, PAPER_GRAMMAR) for part in parts]
        with ThreadPoolExecutor(1) as charts:
            loss = _backward(network, laid_out, torch.device("cpu"), charts)
        return loss, [one.grad for one in network.parameters() if one.grad is not None]

    alone = [learned([one]) for one in lessons]
    for loss, gradients in (learned(lessons), learned(lessons[:1], lessons[1:])):
        assert loss == pytest.approx(np.mean([one[0] for one in alone]), rel=1e-5)
        for gradient, *each in zip(gradients, *(one[1] for one in alone), strict=True):
            assert torch.allclose(gradient, torch.stack(each).mean(0), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("against_all", [False, True])
def test_a_value_competes_with_values_alone_or_with_everything_and_an_equation_with_everything(
    against_all: bool,
) -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.training import _competitors

    value, equation = (Forest.of(from_infix(text)) for text in ("7[0] + 3[1]", "X1 + 7[0] = 3[1]"))
    wanted = LARGER_GRAMMAR.full if against_all else LARGER_GRAMMAR.values
    assert _competitors(value, LARGER_GRAMMAR, against_all) is wanted
    assert _competitors(equation, LARGER_GRAMMAR, against_all) is LARGER_GRAMMAR.full


def test_a_text_that_is_too_long_has_no_candidates() -> None:
    long = Example(read_problem("Al has 8 pens " + "and some more " * 80 + "and 5 pens."), None, source="own")
    short = Example(read_problem("Al has 8 pens and 5 more."), None, source="own")
    found = evaluate_model(fact_model().model, [long, short])
    assert [bool(one.candidates) for one in found] == [False, True]


def test_what_was_judged_is_read_back_as_it_was() -> None:
    told = EXAMPLES[0]
    assert told.expression is not None
    candidate = Candidate.scored(told.expression, -0.25)
    evaluated = Evaluated("own", Annotations.of(told.problem, Lexicon.default()), (candidate,), (True,))
    again = Evaluated.from_line(evaluated.to_line())
    assert (again.source, again.problem, again.candidates, again.right) == (
        "own",
        told.problem,
        (candidate,),
        (True,),
    )


def test_pooled_examples_hold_nothing_of_the_test_fold_whatever_its_numbers() -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.stages import pooled

    copy = example("Tom had 70 cats and got 30 more. How many cats has he?", "70[0] + 30[1]")
    kept = pooled([*EXAMPLES, *EXAMPLES], [copy.problem])
    assert kept == EXAMPLES[1:]


def test_a_fold_is_answered_as_the_network_of_its_split_did() -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.evaluation.crossvalidation import Question
    from text2math.evaluation.metrics import Prediction
    from text2math.neural.crossvalidation import _SplitFold, run_split_fold

    told, silent = EXAMPLES[0], EXAMPLES[1]
    assert told.expression is not None
    wrong = from_infix("7[0] * 3[1]")
    candidates = tuple(Candidate.scored(one, -0.5) for one in (wrong, told.expression))
    evaluated = [
        Evaluated("own", Annotations.of(told.problem, Lexicon.default()), candidates, (False, True)),
        Evaluated("own", Annotations.of(silent.problem, Lexicon.default()), (), ()),
    ]
    questions = tuple(Question(one.problem) for one in (silent, told))
    assert run_split_fold((), questions, _SplitFold(evaluated, None)) == [
        Prediction(None, None),
        Prediction(wrong, None, (Fraction(21),)),
    ]


def test_what_is_judged_of_other_problems_has_no_copy_of_a_part() -> None:
    copy = example("Tom had 70 cats and got 30 more. How many cats has he?", "70[0] + 30[1]")
    everyone = [
        Evaluated("own", Annotations.of(one.problem, Lexicon.default()), (), ()) for one in (*EXAMPLES, copy)
    ]
    kept = apart_from(everyone[:1], everyone)
    assert [one.problem for one in kept] == [one.problem for one in EXAMPLES[1:]]


@pytest.mark.slow
def test_a_stage_that_is_done_is_taken_from_its_folder(encoder_folder: Path, tmp_path: Path) -> None:
    from text2math.neural.stages import EncoderRecipe, Stages
    from text2math.neural.training import EncoderTraining

    told: list[str] = []
    amounts = EncoderRecipe(
        stories=12,
        larger=6,
        beyond=4,
        mixed_in=2,
        first=EncoderTraining(epochs=1),
        later=EncoderTraining(epochs=1),
    )
    for _ in range(2):
        stages = Stages(encoder_folder, tmp_path, amounts, told.append)
        network = stages.later("one", EXAMPLES)
        evaluated = stages.evaluated("one", lambda own=network: own, EXAMPLES)  # type: ignore[misc]
        assert [one.problem.text for one in evaluated] == [one.problem.text for one in EXAMPLES]
    assert [line.split(":")[0] for line in told] == ["22 stories read", "stories", "one"]
    assert not Stages(encoder_folder, tmp_path, replace(amounts, mixed_in=3)).done("one")  # other amounts


def test_networks_that_train_at_the_same_time_have_one_process_each(
    encoder_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from text2math.neural import stages
    from text2math.neural.training import EncoderTraining

    recorded: list[tuple[int | None, int | None]] = []

    def in_parallel(function: object, calls: list[tuple[object, ...]], workers: int) -> Iterator[object]:
        for *_, config in calls:
            assert isinstance(config, EncoderTraining)
            recorded.append((config.processes, config.threads))
        return iter(())

    monkeypatch.setattr(stages, "run_parallel", in_parallel)
    monkeypatch.setattr(stages, "available_cores", lambda: 16)
    monkeypatch.setattr(stages.torch.cuda, "is_available", lambda: True)
    two = EncoderTraining(processes=2)
    recipe = stages.EncoderRecipe(stories=0, first=two, later=two)
    made = stages.Stages(encoder_folder, tmp_path, recipe, lambda line: None)
    made.train_later([stages.Job("one", []), stages.Job("two", [])])
    assert recorded == [(1, 8), (1, 8)]
    alone = replace(recipe, first=replace(two, processes=1), later=replace(two, processes=None))
    assert alone.key == recipe.key  # what is done stays done on a machine with other cores


def test_harder_copies_have_one_more_number_and_are_of_problems_in_one_split_only(
    encoder_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from text2math.neural.stages import EncoderRecipe, Split, Stages

    made = Stages(encoder_folder, tmp_path, EncoderRecipe(), lambda line: None)
    told = example("Ann had 5 kites. Ben had 9 kites. How many kites had they?", "5[0] + 9[1]")
    vars(made)["_remarks"] = remarks([told])
    own, twice = (
        example(f"Tom had 7 {thing} and got 3 more {thing}. How many {thing} has he now?", "7[0] + 3[1]")
        for thing in ("cats", "dogs")
    )
    parts = [Split("split0", [], [own, twice]), Split("split1", [], [twice])]
    monkeypatch.setattr(made, "evaluated", lambda name, network, examples: (name, list(examples)))
    (first, copies), (second, none) = made.evaluated_harder(parts)
    assert (first, second, none) == ("split0-harder", "split1-harder", [])
    (harder,) = copies
    assert len(harder.problem.quantities) == 3
    assert harder.expression is not None
    assert evaluate(harder.expression) == 10


@pytest.mark.slow
def test_a_split_is_evaluated_with_the_mean_of_its_random_seeds(encoder_folder: Path, tmp_path: Path) -> None:
    from text2math.neural.stages import EncoderRecipe, Split, Stages
    from text2math.neural.training import EncoderTraining

    recipe = EncoderRecipe(stories=0, mixed_in=0, held_out=False, seeds=2, later=EncoderTraining(epochs=1))
    stages = Stages(encoder_folder, tmp_path, recipe, lambda line: None)
    tested = [replace(one, source="ai2") for one in EXAMPLES]
    (evaluated,) = stages.evaluated_splits([Split("split0", EXAMPLES, tested)])
    assert len(evaluated) == len(EXAMPLES)
    first, second, mean = (
        stages.load(name).cpu().state_dict() for name in ("split0-seed0", "split0-seed1", "split0")
    )
    weights = [name for name, tensor in first.items() if tensor.is_floating_point()]
    assert not all(first[name].equal(second[name]) for name in weights)
    assert all(mean[name].allclose((first[name] + second[name]) / 2, atol=1e-3) for name in weights)
    (of_first,), (of_second,) = stages.evaluated_seeds([Split("split0", EXAMPLES, tested)])
    assert [one.problem.text for one in of_first] == [one.problem.text for one in of_second]


def test_a_split_has_no_part_of_any_fold_of_its_number() -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.stages import splits

    def some(name: str) -> Dataset:
        examples = tuple(
            example(f"Tom had 7 {thing} of {name} and got 3 more. How many has he?", "7[0] + 3[1]")
            for thing in ("cats", "dogs", "hats", "cups", "pens")
        )
        named = tuple(
            replace(one, problem=replace(one.problem, id=f"{name}{place}"), source=name)
            for place, one in enumerate(examples)
        )
        return Dataset(name, named, folds=tuple((one.problem.id,) for one in named))

    sets = [some("ai2"), some("equations"), some("mawps")]
    for number, split in enumerate(splits(sets)):
        ours = {one.problem.id for one in split.train}
        assert {f"ai2{number}", f"equations{number}"} & ours == set()
        assert len(ours & {f"ai2{other}" for other in range(5)}) == 4
        assert not ours & {one.problem.id for one in split.test}
        assert any(one.source == "corpus" for one in split.test)
        assert not any(one.source == "corpus" for one in split.train)


@pytest.mark.slow
def test_the_encoder_is_cross_validated_by_the_command(
    encoder_folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.jsonl"
    things = "pens cups hats cats dogs cars".split()
    lines = [
        {
            "id": thing,
            "text": f"Tom has 7 {thing} and finds 3. How many {thing} has he?",
            "expression": "7 + 3",
        }
        for thing in things
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    command = ["cross-validate", str(path), "--model", "encoder", "--encoder", str(encoder_folder)]
    command += ["--folds", "2", "--seeds", "1", "--work", str(tmp_path / "work")]
    assert main([*command, "--json"]) == 0
    told = capfd.readouterr()
    found = json.loads(told.out)
    assert (found["variant"], found["problems"], len(found["folds"])) == ("encoder", 6, 2)
    assert "a fold: step" in told.err
    # The same networks with discrete scores added: none is trained again.
    assert main([*command, "--add-discrete"]) == 0
    assert "a fold: step" not in capfd.readouterr().err


def test_the_encoder_wants_a_folder(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    assert main(["cross-validate", "corpus", "--model", "encoder"]) != 0
    assert "--encoder FOLDER" in capfd.readouterr().err


def test_a_lone_number_is_not_trained_on() -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.lessons import prepare

    assert prepare([example("Tom has 7 cats and 2 dogs. How many cats has he?", "7[0]")], Letters()) == []


def test_the_exported_network_says_what_torch_says(torch_network: object) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime and tokenizers are not installed")
    pytest.importorskip("onnx", reason="the extra [torch] is not installed")
    import torch

    from text2math.neural.export import to_onnx
    from text2math.neural.network import EncoderNetwork, TorchNetwork
    from text2math.scorers.encoder import OnnxNetwork

    assert isinstance(torch_network, EncoderNetwork)
    for layer in (torch_network.before, torch_network.after, torch_network.whole, torch_network.used):
        torch.nn.init.normal_(layer.weight)
    batch = [inputs_of(TEXT), inputs_of("7 and 3")]
    expected = TorchNetwork(torch_network)(batch)
    exported = OnnxNetwork(to_onnx(torch_network, quantised=False))(batch)
    for row, inputs in enumerate(batch):
        one, two = to_potentials(inputs, expected, row), to_potentials(inputs, exported, row)
        assert np.allclose(one.step, two.step, atol=1e-4)
        assert np.allclose(one.number, two.number, atol=1e-4)
        assert np.allclose(one.root, two.root, atol=1e-4)


def test_the_weights_of_an_exported_network_are_read_back(torch_network: object) -> None:
    pytest.importorskip("onnx", reason="the extra [torch] is not installed")
    import torch

    from fakes import with_distinct_weights
    from text2math.neural.export import to_onnx, weights_of
    from text2math.neural.network import EncoderNetwork

    assert isinstance(torch_network, EncoderNetwork)
    network = with_distinct_weights(torch_network)
    expected = network.state_dict()
    found = weights_of(to_onnx(network))
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        torch.testing.assert_close(
            found[name], tensor, rtol=0, atol=float(tensor.abs().max()) / 100, msg=name
        )


def test_a_cpu_that_multiplies_16_bits_trains_with_them_and_parses_without(
    encoder_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from text2math.neural import training
    from text2math.neural.network import EncoderNetwork

    seen: set[tuple[torch.dtype, torch.dtype]] = set()
    original = EncoderNetwork.forward

    def watched(self: EncoderNetwork, *arguments: Any, **named: Any) -> tuple[torch.Tensor, ...]:
        inside: list[torch.dtype] = []
        hook = self.encoder.encoder.layer[0].intermediate.dense.register_forward_hook(
            lambda module, given, output: inside.append(output.dtype)
        )
        outputs = original(self, *arguments, **named)
        hook.remove()
        seen.add((inside[0], outputs[0].dtype))
        return outputs

    monkeypatch.setattr(EncoderNetwork, "forward", watched)
    pieces = WordPieces((encoder_folder / "tokenizer.json").read_bytes())
    network = EncoderNetwork.from_folder(encoder_folder)
    for sixteen_bits in (True, False):
        config = training.EncoderTraining(epochs=1, sixteen_bits=sixteen_bits)
        training.train(network, prepare(EXAMPLES, pieces), config, hidden_piece=3)
        assert seen == {(torch.bfloat16 if sixteen_bits else torch.float32, torch.float32)}
        assert not network.sixteen_bits
        seen.clear()


# The model that ships -----------------------------------------------------------------------------------


def default_parser() -> Parser:
    pytest.importorskip("onnxruntime", reason="onnxruntime and tokenizers are not installed")
    pytest.importorskip("tokenizers", reason="onnxruntime and tokenizers are not installed")
    return load("default")


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (
            "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. "
            "In total, how many apples were picked?",
            "7 + (3 + 6)",
        ),
        ("3 times one of the numbers is 11 less than 5 times the other.", "3 * X1 = 5 * X2 - 11"),
        ("Germany's DAX opens 0.7% lower at 10,842.", "X1 - 0.007 * X1 = 10842"),
    ],
)
def test_the_default_model_reads_the_examples_of_the_paper(text: str, gold: str) -> None:
    parse = default_parser().parse(text)
    assert parse.mathematics is not None
    assert equivalent(parse.mathematics, from_infix(gold))


def test_the_default_model_fits_into_the_wheel_and_carries_its_card() -> None:
    parser = default_parser()
    path = packaged("default")
    assert path.stat().st_size < 29_000_000
    assert path.with_suffix(".md").read_text(encoding="utf-8") == card_text("default", parser.card)


def test_a_saved_encoder_says_what_it_said_before_and_names_its_symbols(tmp_path: Path) -> None:
    parser = default_parser()
    parser.save(tmp_path / "copy.t2m")
    again = load(tmp_path / "copy.t2m")
    one, two = parser.parse(TEXT), again.parse(TEXT)
    assert one.mathematics == two.mathematics
    assert one.probability == two.probability
    metadata, arrays = load_model(tmp_path / "copy.t2m")
    outputs = metadata["outputs"]
    assert {*FIRST_GRAMMAR, "SYS", "CEIL"} <= set(outputs)
    for number, changed in enumerate(
        (
            {"outputs": [*outputs[:-1], "POWER"]},
            {"outputs": [*outputs, outputs[0]]},
            {"outputs": [name for name in outputs if name != "GCD"]},
            {"network_symbols": ["ADD", "CON", "POWER"]},
            {"relations": [*RELATIONS[:-1], "POWER"]},
            {"relations": [*RELATIONS, RELATIONS[0]]},
            {"relations": RELATIONS[:-1]},
            {"relations": 7},
        )
    ):
        save_model(tmp_path / f"{number}.t2m", metadata | changed, arrays)
        with pytest.raises(ModelFileError, match=f"{number}.t2m"):
            load(tmp_path / f"{number}.t2m")


def test_many_texts_are_parsed_in_other_processes_as_in_this_one() -> None:
    parser = default_parser()
    texts = [TEXT, "A number plus 4 is 9."] * 2
    here = [parse.mathematics for parse in parser.parse_many(texts, workers=1)]
    there = [parse.mathematics for parse in pickle.loads(pickle.dumps(parser)).parse_many(texts, workers=1)]
    assert here == there


# Numbers that do not matter -----------------------------------------------------------------------------


def test_a_sentence_from_elsewhere_leaves_the_mathematics_alone() -> None:
    told = example("Ann has 7 cats. She got 3 more cats. How many cats has she?", "7[0] + 3[1]")
    other = example("The baker sold 40 rolls. He had 90 rolls. How many rolls are left?", "90[1] - 40[0]")
    found = distracted(told, random.Random(1), remarks([other]))
    assert found is not None
    harder, remark = found
    assert remark.source == other.problem.text
    assert len(harder.problem.quantities) == 3
    assert harder.expression is not None
    assert evaluate(harder.expression) == 10


def test_a_statement_without_a_question_is_not_added_to() -> None:
    other = example("The baker sold 40 rolls. He had 90 rolls. How many rolls are left?", "90[1] - 40[0]")
    statement = example("A number plus 4 is 9.", "X1 + 4[0] = 9[1]")
    assert distracted(statement, random.Random(1), remarks([other])) is None


def test_relations_of_an_older_grammar_are_mapped_by_name_and_new_ones_are_forbidden() -> None:
    inputs = inputs_of("7 and 3")
    columns = Columns(relations=("unrelated", "MUL", "ADD"))
    step = np.zeros((1, inputs.words + 1, STEP_OUTPUTS), np.float32)
    fixed, number = np.zeros((1, FIXED_OUTPUTS), np.float32), np.zeros((1, 2), np.float32)
    related = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
    found = to_potentials(inputs, Outputs(step, fixed, number, relations=related), columns=columns).relations
    assert found is not None
    assert found.shape == (2, 2, len(RELATIONS))
    assert found[0, 1, RELATIONS.index("ADD")] == related[0, 0, 1, 2]
    assert np.isneginf(found[:, :, RELATIONS.index("SUB")]).all()
