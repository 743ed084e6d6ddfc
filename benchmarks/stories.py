"""Evidence that the stories are language and not a template bank, and how fast they come.

    python benchmarks/stories.py [--data DIR] [--count N]
    python benchmarks/stories.py --train 20000 [--data DIR] [--errors FILE]
    python benchmarks/stories.py --sheets

Prints, as JSON: distinct word 4-grams and vocabulary per 300 problems (beside the corpora in DIR); how well
a classifier that sees only the words of the question guesses the operator of one-step stories (random folds);
how many texts, numbers masked, stand in the corpora under DIR; stories per second.
With --sheets: how many exercises and questions there are, and the processor time of larger stories.
With --train: how well the discrete model does on those corpora after training on stories alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from text2math.data import load
from text2math.data.leaks import mask_numbers
from text2math.data.stories import Story, generate
from text2math.data.stories.corpus import corpus
from text2math.data.stories.exercise import EQUATION
from text2math.data.stories.generate import needs_larger
from text2math.data.stories.public import LONGEST, digest
from text2math.data.stories.sheets import exercises
from text2math.evaluation.metrics import is_correct
from text2math.learning.training import fit
from text2math.mathematics.expression import is_equation, operators
from text2math.mathematics.notation import to_infix
from text2math.model.config import ModelConfig, TrainingConfig

_WORD = re.compile(r"[A-Za-z']+|\d[\d,./]*|[^\sA-Za-z\d]")


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def variety(texts: list[str], sample: int = 300, rounds: int = 20) -> dict[str, float]:
    """Mean distinct 4-grams and vocabulary of random samples."""
    rng = random.Random(0)
    grams, vocabulary = [], []
    for _ in range(rounds):
        chosen = [words(text) for text in rng.sample(texts, min(sample, len(texts)))]
        grams.append(len({tuple(tokens[i : i + 4]) for tokens in chosen for i in range(len(tokens) - 3)}))
        vocabulary.append(len({token for tokens in chosen for token in tokens}))
    return {"4-grams": round(float(np.mean(grams))), "vocabulary": round(float(np.mean(vocabulary)))}


def question(text: str) -> str:
    """The sentence that asks (the last one with a question mark, else the last one)."""
    sentences = re.split(r"(?<=[.?!])\s+", text.strip())
    asking = [sentence for sentence in sentences if sentence.endswith("?")]
    last = (asking or sentences)[-1]
    match = re.search(r"\b(how|what|find|by how)\b.*", last, re.IGNORECASE)
    return match.group(0) if match else last


def guess(texts: list[str], labels: list[str], folds: int = 5) -> float:
    """Accuracy of multinomial logistic regression on the bag of words of the question, random folds."""
    kinds = sorted(set(labels))
    target = np.array([kinds.index(label) for label in labels])
    bags = [set(words(question(text))) for text in texts]
    counts = Counter(word for bag in bags for word in bag)
    index = {
        word: position for position, word in enumerate(word for word, count in counts.items() if count > 1)
    }
    matrix = np.zeros((len(texts), len(index) + 1), dtype=np.float32)
    matrix[:, -1] = 1
    for row, bag in enumerate(bags):
        matrix[row, [index[word] for word in bag if word in index]] = 1
    order = np.random.default_rng(0).permutation(len(texts))
    right = 0
    for fold in range(folds):
        test = order[fold::folds]
        train = np.setdiff1d(order, test)
        weights = _fit(matrix[train], target[train], len(kinds))
        right += int((np.argmax(matrix[test] @ weights, axis=1) == target[test]).sum())
    return right / len(texts)


def _fit(matrix: np.ndarray, target: np.ndarray, kinds: int, decay: float = 1.0) -> np.ndarray:
    shape = (matrix.shape[1], kinds)
    hot = np.eye(kinds)[target]

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(shape)
        scores = matrix @ weights
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        loss = -float(np.log(chances[np.arange(len(target)), target]).sum()) + 0.5 * decay * float(
            (weights**2).sum()
        )
        return loss, (matrix.T @ (chances - hot) + decay * weights).ravel()

    found = minimize(
        objective, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 150}
    )
    return np.asarray(found.x).reshape(shape)


def corpora(data: Path) -> dict[str, list[str]]:
    """The texts of the public corpora, by folder."""
    texts: dict[str, list[str]] = {}
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        found: list[str] = []
        for file in folder.glob("*.json"):
            for row in json.loads(file.read_text()):
                text = row.get("sQuestion") or row.get("original_text") or row.get("text") or ""
                if text:
                    found.append(text)
        for file in folder.glob("*.txt"):
            if file.stem.isdigit():
                found.append(file.read_text().split("\n")[0])
        texts[folder.name] = found
    return texts


def one_step(stories: Iterable[Story]) -> tuple[list[str], list[str]]:
    chosen = [story for story in stories if story.steps == 1 and not is_equation(story.expression)]
    return [story.text for story in chosen], [next(operators(story.expression)).value for story in chosen]


def learn(
    count: int, data: Path, passes: int, seed: int, tell: Callable[[str], None] = print
) -> dict[str, dict[str, object]]:
    """Train the discrete model on stories and nothing else; accuracy on the corpora it has never seen.

    Nothing but the text is given to it. Sentences for equations and problems with a question are different
    languages: each has a model, with its share of the stories.
    """
    began = time.perf_counter()
    told = list(generate(count, seed=seed, larger=False))
    config = ModelConfig(
        training=TrainingConfig(optimizer="adam", steps=passes, rate=0.02, batch=16),
        inner_folds=2,
        inner_steps=max(1, passes // 2),
        min_count=2,
    )
    report: dict[str, dict[str, object]] = {}
    for names, equations in ((("ai2", "il", "corpus"), False), (("equations", "corpus"), True)):
        train = [story.example() for story in told if is_equation(story.expression) == equations]
        model = fit(train, config)
        tell(f"{len(train):,} stories, {time.perf_counter() - began:.0f} s")
        for name in names:
            if name != "corpus" and not (data / name).is_dir():
                continue
            examples = [
                example
                for example in load(name, data).examples
                if example.expression is not None and is_equation(example.expression) == equations
            ]
            wrong = [
                (example, found[:1])
                for example in examples
                if not (
                    (found := model.candidates(example.problem)) and is_correct(found[0].mathematics, example)
                )
            ]
            right = len(examples) - len(wrong)
            kind = f"{name}, {'equations' if equations else 'questions'}" if name == "corpus" else name
            tell(f"{kind}: {right}/{len(examples)} = {right / len(examples):.1%}")
            report[kind] = {
                "right": right,
                "all": len(examples),
                "wrong": [
                    {
                        "text": example.problem.text,
                        "gold": to_infix(example.expression),
                        "said": to_infix(found[0].mathematics) if found else "",
                    }
                    for example, found in wrong
                    if example.expression is not None
                ],
            }
    return report


def in_sheets(count: int = 1000) -> dict[str, object]:
    """How many exercises and questions of each sort there are, and how long larger stories take."""
    everything = exercises()
    questions = [question for exercise in everything for question in exercise.questions]
    larger = [needs_larger(exercise, one) for exercise in everything for one in exercise.questions]
    sentences = sum(exercise.kind == EQUATION for exercise in everything)
    start = time.process_time()
    told = list(generate(count, seed=1, larger=True))
    return {
        "exercises": len(everything) - sentences,
        "questions": len(questions) - sentences,
        "equation_sentences": sentences,
        "larger_questions": sum(
            one.expression is not None and needed for one, needed in zip(questions, larger, strict=True)
        ),
        "of_these_systems": sum(bool(one.asked) for one in questions),
        "beyond_the_grammar": sum(one.expression is None for one in questions),
        "seconds_per_1000_larger_stories": round(1000 * (time.process_time() - start) / len(told), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("TEXT2MATH_DATA", "../shared/data")))
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--digests", type=Path, metavar="FILE", help="write the digests of DIR's short texts")
    parser.add_argument(
        "--train", type=int, metavar="N", help="train on N stories, test on the corpora of DIR"
    )
    parser.add_argument("--passes", type=int, default=6, help="over the stories")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sheets", action="store_true", help="count what the sheets hold")
    parser.add_argument("--errors", type=Path, metavar="FILE", help="write what the trained model got wrong")
    options = parser.parse_args()
    if options.sheets:
        print(json.dumps(in_sheets(), indent=2))
        return
    if options.train:
        learned = learn(options.train, options.data, options.passes, options.seed)
        if options.errors:
            options.errors.write_text(json.dumps(learned, indent=1, ensure_ascii=False), encoding="utf-8")
        figures = {name: round(row["right"] / row["all"], 3) for name, row in learned.items()}
        print(json.dumps({"stories": options.train, "passes": options.passes, "accuracy": figures}, indent=2))
        return
    if options.digests:
        texts = {text for found in corpora(options.data).values() for text in found}
        short = sorted({digest(text) for text in texts if len(mask_numbers(text).split()) <= LONGEST})
        options.digests.write_text("\n".join(short) + "\n", encoding="ascii")
        return
    list(generate(300, seed=99, larger=False))
    start = time.process_time()
    stories = list(generate(options.count, seed=1, larger=False))
    seconds = time.process_time() - start
    texts = [story.text for story in stories]
    told = [story.text for story in stories if not is_equation(story.expression)]
    one_texts, signs = one_step(stories)
    report: dict[str, object] = {
        "stories_per_second": round(options.count / seconds),
        "variety_per_300": {"stories": variety(told), "with_equations": variety(texts)},
        "one_step": dict(Counter(signs)),
        "operator_from_question_words": round(guess(one_texts, signs), 3),
        "operator_majority": round(max(Counter(signs).values()) / len(signs), 3),
    }
    if options.data.is_dir():
        public = corpora(options.data)
        report["variety_per_300"] |= {
            name: variety(public[name]) for name in ("mawps", "ai2", "il") if public.get(name)
        }  # type: ignore[operator]
        known = {mask_numbers(text) for found in public.values() for text in found}
        report["texts_that_stand_in_the_corpora"] = {
            "stories": sum(mask_numbers(text) in known for text in told),
            "equation sentences": sum(mask_numbers(text) in known for text in texts)
            - sum(mask_numbers(text) in known for text in told),
            "shipped corpus": sum(mask_numbers(story.text) in known for story, _ in corpus()),
        }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
