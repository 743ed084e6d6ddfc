"""The window network: what it sees, what it adds, and how it learns."""

from __future__ import annotations

import numpy as np
import pytest

from text2math.cli import main
from text2math.data import Dataset
from text2math.inference.potentials import SYMBOL_COUNT, WORD, Symbol
from text2math.language.problem import Example, read_problem
from text2math.learning.training import fit
from text2math.mathematics.notation import from_infix
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.scorers.window import WindowConfig, WindowScorer, vocabulary_of, windows, word_rows

EXAMPLES = [
    Example(read_problem(text, id=str(number)), from_infix(gold))
    for number, (text, gold) in enumerate(
        [
            ("Tom had 7 cats and got 3 more.", "7[0] + 3[1]"),
            ("Ann had 8 dogs and got 2 more.", "8[0] + 2[1]"),
            ("Tom had 7 cats and lost 3.", "7[0] - 3[1]"),
            ("Ann had 9 pens and lost 4.", "9[0] - 4[1]"),
        ]
    )
]


def test_a_window_of_reach_zero_sees_the_word_alone() -> None:
    assert windows(np.array([4, 5]), 0).tolist() == [[4], [5]]


def test_scores_go_to_the_steps_that_enter_a_word_and_nowhere_else() -> None:
    problem = EXAMPLES[0].problem
    rng = np.random.default_rng(0)
    zero = WindowScorer.zeros(WindowConfig(reach=1, embedding=3, hidden=4), vocabulary_of([problem], 1))
    parts = (zero.embedding, zero.hidden, zero.hidden_bias, zero.output)
    scorer = WindowScorer(zero.config, zero.vocabulary, *(rng.normal(size=part.shape) for part in parts))
    step = scorer(problem).step
    n = len(problem.tokens)
    assert np.allclose(step[:, :n, 0, WORD].T, scorer.scores(problem))
    assert not step[:, :, :, [0, 2, 3]].any()
    assert not step[:, n].any()


def test_an_unknown_activation_is_refused() -> None:
    with pytest.raises(ValueError, match="tanh, relu"):
        WindowConfig(activation="sine")


@pytest.mark.parametrize("joint", [False, True])
def test_training_lowers_the_loss_and_moves_the_discrete_weights_only_when_joint(joint: bool) -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.window import TrainingSet, WindowTraining, train_window

    model = fit(EXAMPLES, ModelConfig(reranker=None, training=TrainingConfig(steps=2)))
    losses: list[float] = []
    training = WindowTraining(iterations=8, rate=0.02, joint=joint, threads=1)
    training_set = TrainingSet.of(model, EXAMPLES)
    scorer = train_window(
        training_set, WindowConfig(reach=1), training, report=lambda _, loss: losses.append(loss)
    )
    assert losses[-1] < losses[0]
    assert np.array_equal(scorer.first.weights, model.scorer.weights) is not joint
    assert scorer(EXAMPLES[0].problem).words == len(EXAMPLES[0].problem.tokens)


def test_rows_that_need_torch_say_what_to_install_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("text2math.commands.options.find_spec", lambda name: None)
    assert main(["tables", "--only", "ai2/paper+window-2"]) == 0
    assert (
        "| neural, L = 2 | ai2 | 85.5 | – | – | needs torch and transformers: pip" in capfd.readouterr().out
    )


def test_windows_of_a_data_set_are_judged_on_every_fold_from_every_seed() -> None:
    pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.crossvalidation import evaluate_windows
    from text2math.neural.window import WindowTraining

    dataset = Dataset("own", tuple(EXAMPLES), folds=(("0", "2"), ("1", "3")))
    config = ModelConfig(reranker=None, training=TrainingConfig(steps=2))
    outcomes = list(
        evaluate_windows(
            dataset,
            ["window-0", "window-1+joint"],
            "paper",
            config,
            training=WindowTraining(iterations=1),
            seeds=2,
            workers=0,
        )
    )
    assert [outcome.variant for outcome in outcomes] == ["window-0", "window-1+joint"]
    assert [len(folds) for folds in outcomes[0].seeds] == [2, 2]
    assert len(outcomes[0].folds) == 2


def test_the_network_in_torch_and_in_numpy_give_the_same_scores() -> None:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.window_network import WindowNetwork

    problem = EXAMPLES[0].problem
    vocabulary = vocabulary_of([problem], 1)
    config = WindowConfig(reach=2, embedding=3, hidden=4)
    network = WindowNetwork(len(vocabulary) + 1, config)
    rows = torch.as_tensor(windows(word_rows(problem, vocabulary), config.reach))
    exported = network.exported(vocabulary).scores(problem)
    assert np.allclose(network(rows).detach().numpy(), exported, atol=1e-5)


def test_the_loss_has_the_gradient_that_differences_show() -> None:
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    from text2math.neural.window import TrainingSet, WindowTraining, _Loss, _Step, places

    model = fit(EXAMPLES, ModelConfig(reranker=None, training=TrainingConfig(steps=2)))
    training_set = TrainingSet.of(model, EXAMPLES)
    step = _Step(
        training_set, places(training_set.problems, training_set.scorer.symbols), WindowTraining(threads=1)
    )
    count = sum(len(problem.tokens) for problem in training_set.problems)
    scores = torch.zeros((count, SYMBOL_COUNT), dtype=torch.float64, requires_grad=True)
    weights = torch.tensor(training_set.scorer.weights)
    loss = _Loss.apply(scores, weights, step)
    loss.backward()
    symbol, small = int(Symbol.ADD), 1e-4
    for word in (0, 3, count - 1):
        moved = scores.detach().clone()
        moved[word, symbol] += small
        slope = (_Loss.apply(moved, weights, step) - loss).item() / small
        assert scores.grad[word, symbol].item() == pytest.approx(slope, abs=1e-3)
    assert scores.grad[:, symbol].abs().max() > 0.01
