from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from text2math.integrations.sklearn import TextMathEstimator

TEXTS = [
    text.format(a=a, b=b)
    for a, b in ((9, 2), (8, 3), (7, 4), (12, 5))
    for text in ("{a} pens plus {b} pens in total.", "{a} pens minus {b} pens that are lost.")
]
GOLD = [
    gold.format(a=a, b=b) for a, b in ((9, 2), (8, 3), (7, 4), (12, 5)) for gold in ("{a} + {b}", "{a} - {b}")
]
QUICK = {"steps": 6, "rerank": False}


def test_it_learns_and_predicts_infix_and_answers() -> None:
    estimator = TextMathEstimator(**QUICK).fit(TEXTS, GOLD)
    assert estimator.unmapped_ == 0
    assert estimator.predict(TEXTS[:2]).tolist() == ["9 + 2", "9 - 2"]
    assert estimator.predict_answer(TEXTS[:2]).tolist() == [11.0, 7.0]
    assert np.isnan(estimator.predict_answer(["Hello"])[0])
    assert estimator.predict(["Hello"]).tolist() == [""]
    assert estimator.score(TEXTS, GOLD) == 1.0


def test_it_learns_from_answers_alone() -> None:
    answers = [11, 7, 11, 5, 11, 3, 17, 7]
    estimator = TextMathEstimator(**QUICK).fit(TEXTS, answers)
    assert estimator.score(TEXTS, np.array(answers)) >= 0.5


def test_what_lacks_its_numbers_is_counted_and_nothing_at_all_is_an_error() -> None:
    estimator = TextMathEstimator(**QUICK).fit([*TEXTS, "Tom has 3 pens."], [*GOLD, "3 + 5"])
    assert estimator.unmapped_ == 1
    with pytest.raises(ValueError, match="nothing to train on"):
        TextMathEstimator().fit(["Tom has 3 pens."], ["3 + 5"])


def test_it_clones_without_what_it_learned() -> None:
    estimator = TextMathEstimator(l2=0.5, **QUICK).fit(TEXTS, GOLD)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(TEXTS)


def test_it_cross_validates_and_is_searched() -> None:
    scores = cross_val_score(TextMathEstimator(**QUICK), TEXTS, GOLD, cv=2)
    assert scores.shape == (2,)
    assert all(0 <= score <= 1 for score in scores)
    search = GridSearchCV(TextMathEstimator(**QUICK), {"l2": [0.01, 10.0]}, cv=2).fit(TEXTS, GOLD)
    assert search.best_params_["l2"] in (0.01, 10.0)
    assert search.best_estimator_.score(TEXTS, GOLD) > 0
