"""The configuration of a model: its features, its targets, and how its weights are trained.

>>> ModelConfig(training=TrainingConfig(steps=10)).training.l2
0.1
"""

from __future__ import annotations

from dataclasses import dataclass, field

from text2math.model.reranker import RerankerConfig
from text2math.scorers.features import FeatureConfig

OPTIMIZERS = ("lbfgs", "adam", "sgd")
L2, STEPS = 0.1, 40
"""The default strength of L2 regularisation and number of training steps."""


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """Which expressions count as right in training."""

    equivalent: bool = False  # sum over all equivalent trees that fit the text, not the annotated one alone
    both_names: bool = True  # either of two unknowns may be X1
    answers: bool = False  # learn from the answer alone, even if an expression is annotated
    unknown: str = "none"  # "prefix": X = e, "suffix": e = X (arithmetic only)
    inverse: bool = False  # inverse operators instead of operands in reverse
    most_trees: int = 64
    most_operators: int = 2  # of an expression searched for an answer

    def __post_init__(self) -> None:
        if self.unknown not in ("none", "prefix", "suffix"):
            raise ValueError(f"unknown must be none, prefix or suffix, not {self.unknown!r}")


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """How the weights are trained."""

    optimizer: str = "lbfgs"
    l2: float = L2  # penalty on the squared weights, beside a sum (not a mean) over the examples
    steps: int = STEPS  # L-BFGS steps, or passes over the data of Adam and SGD
    round_steps: int = 50  # L-BFGS restarts after so many steps; checkpoints are written between rounds
    rate: float = 0.05  # of Adam and SGD
    batch: int = 16  # examples in a step of Adam and SGD
    tolerance: float = 1e-6  # L-BFGS stops when a step gains less than this part of the objective
    seed: int = 0
    threads: int = 0  # of the chart; 0: as many as there are processors

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(f"optimizer {self.optimizer!r} is unknown; there are {', '.join(OPTIMIZERS)}")
        for name in ("steps", "round_steps", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The configuration of a model: everything but the training examples."""

    features: FeatureConfig = field(default_factory=FeatureConfig)
    targets: TargetConfig = field(default_factory=TargetConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    reranker: RerankerConfig | None = field(default_factory=RerankerConfig)
    candidates: int = 32  # the k best expressions that are reranked
    margin: float | None = None  # those that score less than the best by more than this are not
    at_least: int = 1  # but so many are, however low they score: users see them as other readings
    inner_folds: int = 2  # of cross-fitting: the reranker learns from candidates on held-out inner folds
    inner_steps: int = 25  # training steps of each inner model
    # Start training the model, and its reranker, at the mean of the inner ones (Adam and SGD only).
    from_inner: bool = False
    min_count: int = 1  # how many training problems a feature must occur in
    # Start the weights of number use at the number identifier's, and regularise towards them. None: if all
    # examples are equations.
    identify: bool | None = None

    def __post_init__(self) -> None:
        if self.margin is not None and self.margin <= 0:
            raise ValueError(f"margin must be positive, not {self.margin:g}")
        if self.at_least < 1:
            raise ValueError(f"at_least must be at least 1, not {self.at_least}")
        if self.from_inner and (self.training.optimizer == "lbfgs" or self.inner_folds < 2):
            raise ValueError("from_inner needs Adam or SGD, and at least two inner folds")
