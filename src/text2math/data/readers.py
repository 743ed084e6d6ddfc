"""Readers of public data sets in their original formats, from a folder that the user provides.

A reader yields a ``Record`` for every problem, and one function maps records to examples or failures, so
nothing is dropped silently: see ``load("ai2", data_dir).problems_failed``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from text2math.data.corpus import load_corpus, load_exam
from text2math.data.dataset import DataError, Dataset, Failure
from text2math.data.gsm8k import composed
from text2math.data.jsonlines import read_json_lines
from text2math.data.record import Record, to_dataset
from text2math.data.systems import sentence_examples
from text2math.language.attachment import UnmappableError
from text2math.language.knowledge import Knowledge
from text2math.language.problem import Problem, read_problem, with_knowledge

DATA_VARIABLE = "TEXT2MATH_DATA"
Records = Iterator[Record | Failure]


@dataclass(frozen=True, slots=True)
class Format:
    """Where a data set is under the data folder, how to read it, and where its fold files are."""

    folder: str
    read: Callable[[Path], Records]
    folds: str = ""
    # Only the problems that the fold files list belong to the data set.
    selection: bool = False
    about: str = ""
    # The fold that is the data set's own test set, where it has one.
    test_fold: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A problem's fields in a JSON file, with its place, data set, file and id."""

    place: str
    source: str
    split: str
    id: str
    fields: dict[str, Any]


def names_in(folder: Path) -> list[str]:
    """The names of the data sets in a folder, without selections from others."""
    return [
        name for name, layout in FORMATS.items() if (folder / layout.folder).is_dir() and not layout.selection
    ]


def load_all(folder: Path) -> list[Dataset]:
    """The data sets of a folder with their derived sentences, without selections from others."""
    return [load(name, folder, derived_sentences=True) for name in names_in(folder)]


def load(
    name: str | Path,
    data_dir: Path | None = None,
    *,
    derived_sentences: bool = False,
    knowledge: bool | Knowledge = False,
) -> Dataset:
    """The data set of this name, or in this JSON Lines file.

    Three are in the package: ``stories``, from the generator, with a fold to train on and one to test on;
    ``corpus``, problems written by hand; and ``exam``, more of these, which no model is trained on.

    ``derived_sentences`` adds the sentences that state one equation of a system as examples of their own.
    With ``knowledge``, the gold may be a system of equations and use numbers that words of the text imply.

    >>> load("corpus").problems_failed
    ()
    """
    if str(name) == "corpus":
        return load_corpus(knowledge)
    if str(name) == "exam":
        return load_exam(knowledge=knowledge)
    if str(name) == "stories":
        from text2math.data.stories.corpus import load_stories  # importing the generator takes a moment

        return load_stories()
    if str(name) not in FORMATS:
        path = Path(name)
        if path.suffix == ".jsonl":
            return read_json_lines(path, knowledge=knowledge)
        known = ", ".join(["stories", "corpus", "exam", *FORMATS])
        raise DataError(f"{name}: no such data set; give a .jsonl file or one of {known}")
    layout = FORMATS[str(name)]
    folder = data_folder(data_dir) / layout.folder
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; {name} should be there (see --data, {DATA_VARIABLE})")
    folds = tuple(map(_fold_ids, sorted(folder.glob(layout.folds)))) if layout.folds else ()
    records = layout.read(folder)
    if layout.selection:
        listed = {id for fold in folds for id in fold}
        records = (record for record in records if isinstance(record, Failure) or record.problem.id in listed)
    if knowledge:
        records = (_with_implied_numbers(record, knowledge) for record in records)
    return to_dataset(str(name), records, folds, sentence_examples if derived_sentences else None)


def _with_implied_numbers(record: Record | Failure, knowledge: bool | Knowledge) -> Record | Failure:
    """The record of a problem with the numbers that its words imply."""
    if isinstance(record, Failure):
        return record
    problem = with_knowledge(record.problem, knowledge)
    if problem.quantities != record.problem.quantities:  # hints count the quantities without times of day
        record = replace(record, hints=(), preferred=frozenset())
    return replace(record, problem=problem, larger=True)


def data_folder(given: Path | None) -> Path:
    """The folder of data sets: the given one, else that of the environment variable."""
    if given is not None:
        return given
    if DATA_VARIABLE not in os.environ:
        raise DataError(f"no folder of data sets: give --data DIR, or set {DATA_VARIABLE}")
    return Path(os.environ[DATA_VARIABLE])


def _fold_ids(path: Path) -> tuple[str, ...]:
    """The ids of a fold: one per line, or those of the problems in a JSON file."""
    if path.suffix == ".json":
        return tuple(_id(entry, number) for number, entry in enumerate(_json_list(path)))
    return tuple(path.read_text(encoding="utf-8").split())


def _id(entry: Any, number: int) -> str:
    """The id of a problem, or its number in the file if it has none."""
    known = entry if isinstance(entry, dict) else {}
    return str(known.get("iIndex", known.get("id", f"#{number}")))


def _json_list(path: Path) -> list[Any]:
    """The problems of a JSON file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path}: not a JSON file: {error}; fetch it again") from error
    if not isinstance(found, list):
        raise DataError(f"{path}: should be a list of problems; is it a file of this data set?")
    return found


def _files(folder: Path, pattern: str) -> list[Path]:
    """The files that match, in the order of their names' numbers."""
    paths = sorted(folder.glob(pattern), key=lambda path: (len(path.stem), path.stem))
    if not paths:
        raise DataError(f"{folder}: there is no {pattern}; is this the data set's folder?")
    return paths


def _read_each(sources: Iterable[tuple[str, Callable[[], Record | Failure]]]) -> Records:
    """The record of each problem, or a failure if it is not in the expected format."""
    for place, read in sources:
        try:
            yield read()
        except (LookupError, TypeError, ValueError, OSError) as error:
            yield Failure(place, "a problem not in the data set's format", f"{type(error).__name__}: {error}")


def _read_entries(folder: Path, pattern: str, read: Callable[[Entry], Record]) -> Records:
    """A record for each problem of the JSON files that match."""
    entries = (
        Entry(
            f"{folder.name}/{path.name}, problem {_id(fields, number)}",
            folder.name,
            path.stem,
            _id(fields, number),
            fields,
        )
        for path in _files(folder, pattern)
        for number, fields in enumerate(_json_list(path))
    )
    return _read_each((entry.place, partial(read, entry)) for entry in entries)


def _fraction(value: object) -> Fraction | None:
    """The exact value of a number in a file (0.7 is 7/10), or None if it is not a number."""
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


# questions.json: ai2, il, commoncore, allarith ------------------------------------------------------------


def read_questions(folder: Path) -> Records:
    """The problems of a ``questions.json``."""
    return _read_entries(folder, "questions.json", _question)


def _question(entry: Entry) -> Record:
    problem = read_problem(entry.fields["sQuestion"], entry.id)
    stated = entry.fields["lEquations"]
    return Record(
        place=entry.place,
        problem=problem,
        equations=(stated,) if isinstance(stated, str) else tuple(stated),
        answer=_fraction(entry.fields["lSolutions"][0]),
        hints=_question_hints(problem, entry.fields),
        source=entry.source,
    )


def _question_hints(problem: Problem, fields: dict[str, Any]) -> tuple[int | None, ...]:
    """The quantities that the alignments refer to, by index into ``quants`` or else by character offset."""
    if "quants" not in fields:
        return tuple(_quantity_at(problem, offset) for offset in fields["lAlignments"])
    stated = [_fraction(value) for value in fields["quants"]]
    return tuple(_nth_equal(problem, stated, index) for index in fields["lAlignments"])


def _quantity_at(problem: Problem, offset: int) -> int | None:
    """The quantity over this character."""
    found = (i for i, quantity in enumerate(problem.quantities) if quantity.start <= offset < quantity.end)
    return next(found, None)


def _nth_equal(problem: Problem, stated: Sequence[Fraction | None], index: int) -> int | None:
    """For the n-th of equal stated values, the n-th of ours, if there are equally many."""
    value = stated[index]
    ours = [i for i, quantity in enumerate(problem.quantities) if quantity.value == value]
    return ours[stated[:index].count(value)] if len(ours) == stated.count(value) else None


# equations: one sentence per file, with brat annotations ---------------------------------------------------


def read_sentences(folder: Path) -> Records:
    """The sentences of ``N.txt``, with the phrases of the unknowns from ``N.ann``."""
    paths = _files(folder, "*.txt")
    return _read_each((f"{folder.name}/{path.name}", partial(_sentence, path)) for path in paths)


def _sentence(path: Path) -> Record:
    sentence, _, equation, *_ = path.read_text(encoding="utf-8").splitlines()
    groundings = _brat_spans(path.with_suffix(".ann"))
    return Record(
        place=f"{path.parent.name}/{path.name}",
        problem=read_problem(sentence, path.stem),
        equations=(equation.strip(),),
        arithmetic=False,
        groundings=groundings,
        unknowns=tuple(name for name, _, _ in sorted(groundings, key=lambda span: (span[1], span[0]))),
        source=path.parent.name,
    )


def _brat_spans(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Name and span of every line ``T1<TAB>V1 start end<TAB>words``."""
    found = re.findall(r"^T\d+\t(\w+) (\d+) (\d+)\t", path.read_text(encoding="utf-8"), re.MULTILINE)
    return tuple((name, int(start), int(end)) for name, start, end in found)


# Lists of problems with "original_text" and "equation": mawps, alg514, draw; with "text": dolphin1878 ------


def read_lists(folder: Path) -> Records:
    """The problems of JSON lists, whose equations are one string, or lines ``equ: …``.

    For some, a file in the folder ``derivations`` next to theirs says which numbers of the text are used.
    """
    derivations = folder.parent / "derivations" / f"{folder.name}.json"
    derived = (
        {str(entry.get("iIndex")): entry for entry in _json_list(derivations)}
        if derivations.is_file()
        else {}
    )
    return _read_entries(folder, "*.json", partial(_listed, derived))


def _listed(derived: dict[str, dict[str, Any]], entry: Entry) -> Record:
    fields = entry.fields
    stated = fields.get("ans_simple", fields["ans"])
    values = tuple(map(_fraction, stated if isinstance(stated, list) else [stated]))
    answers = tuple(value for value in values if value is not None)
    problem = read_problem(fields["original_text" if "original_text" in fields else "text"], entry.id)
    derivation = derived.get(entry.id, {})
    return Record(
        place=entry.place,
        problem=problem,
        equations=_stated_equations(fields),
        answer=values[0] if len(values) == 1 else None,
        source=entry.source,
        split=entry.split,
        annotated=tuple(derivation.get("lEquations", ())),
        preferred=_aligned(problem, derivation),
        answers=answers if len(answers) == len(values) else (),
    )


def _aligned(problem: Problem, derivation: dict[str, Any]) -> frozenset[int]:
    """The quantities that a derivation says are used; none if it does not match the text."""
    if derivation.get("sQuestion", "").split() != problem.text.split():
        return frozenset()
    places = _token_places(problem.text)
    spans = [places.get((entry["SentenceId"], entry["TokenId"])) for entry in derivation["Alignment"]]
    found = [None if span is None else _quantity_within(problem, *span) for span in spans]
    return frozenset() if None in found else frozenset(index for index in found if index is not None)


def _token_places(text: str) -> dict[tuple[int, int], tuple[int, int]]:
    """The span of each token of each sentence, in a text whose tokens are separated by spaces."""
    places: dict[tuple[int, int], tuple[int, int]] = {}
    sentence = token = 0
    for match in re.finditer(r"\S+", text):
        places[sentence, token] = match.span()
        token += 1
        if match[0] in (".", "?", "!"):
            sentence, token = sentence + 1, 0
    return places


def _quantity_within(problem: Problem, start: int, end: int) -> int | None:
    """The quantity that overlaps this span of the text."""
    touching = (i for i, q in enumerate(problem.quantities) if q.start < end and start < q.end)
    return next(touching, None)


def _stated_equations(fields: dict[str, Any]) -> tuple[str, ...]:
    if "equation" in fields:
        return tuple(part.strip() for part in fields["equation"].split(";") if part.strip())
    lines = (line.partition(":") for line in fields["equations"])
    return tuple(equation.strip() for kind, _, equation in lines if kind.strip() == "equ")


# gsm8k: worked solutions ----------------------------------------------------------------------------------


def read_solutions(folder: Path) -> Records:
    """The problems of ``train.jsonl``, whose worked solutions are composed into one expression each."""
    return _read_each(
        (
            f"{folder.name}/{path.name}, line {number}",
            partial(_solved, f"{folder.name}/{path.name}", number, line),
        )
        for path in _files(folder, "*.jsonl")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    )


def _solved(file: str, number: int, line: str) -> Record | Failure:
    fields = json.loads(line)
    problem = read_problem(fields["question"], str(number))
    place = f"{file}, line {number}"
    try:
        solution = composed(fields["answer"], {quantity.value for quantity in problem.quantities})
    except UnmappableError as error:
        return Failure(place, error.reason, error.detail, problem)
    return Record(place, problem, (), solution.answer, source="gsm8k", gold=solution.expression)


FORMATS: dict[str, Format] = {
    "ai2": Format("ai2", read_questions, "fold*.txt", about="arithmetic, + and −, irrelevant numbers"),
    "il": Format("il", read_questions, "fold*.txt", about="arithmetic, one of + − × ÷"),
    "commoncore": Format("commoncore", read_questions, "fold*.txt", about="arithmetic, two operations"),
    "equations": Format("equations", read_sentences, "folds/fold*", about="equation parsing, one sentence"),
    "allarith": Format("allarith", read_questions, "folds/fold*.txt", about="arithmetic, mixed"),
    "allarith-lex": Format(
        "allarith", read_questions, "folds-lex/fold*.txt", True, "allarith, low lexical overlap"
    ),
    "allarith-tmpl": Format(
        "allarith", read_questions, "folds-tmpl/fold*.txt", True, "allarith, low template overlap"
    ),
    "mawps": Format("mawps", read_lists, about="arithmetic, pooled (contains ai2, il and commoncore)"),
    "gsm8k": Format("gsm8k", read_solutions, about="stories with several steps, worked solutions"),
    "alg514": Format("alg514", read_lists, "testset_fold*.json", about="systems of equations"),
    "draw": Format(
        "draw", read_lists, "*set.json", about="systems of equations; fold 0 is the test set", test_fold=0
    ),
    "dolphin1878": Format(
        "dolphin1878",
        read_lists,
        "*.json",
        about="number problems, systems; fold 1 is the test set",
        test_fold=1,
    ),
}
