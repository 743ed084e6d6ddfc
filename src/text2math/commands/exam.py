"""How ``text2math evaluate exam`` reports the parts of the exam."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from text2math.evaluation.exam import BEYOND, ExamReport, PartScore
from text2math.evaluation.reliability import SURE
from text2math.language.problem import Example
from text2math.mathematics.notation import to_infix
from text2math.parse import Parse

_SURE = f"{SURE:.0%}".replace("%", " %")


def exam_to_dict(exam: ExamReport[Parse]) -> dict[str, Any]:
    """The report as plain data."""
    whole = exam.whole.reliability
    curve = [
        {"coverage": point.coverage, "threshold": round(point.threshold, 4), "right": round(point.right, 4)}
        for point in whole.risk_coverage
    ]
    return {
        "parts": {part.name: _part_to_dict(part) for part in exam.parts},
        "all": _part_to_dict(exam.whole)
        | {"solvable": exam.solvable, "solvable_sure": exam.solvable_sure, "risk_coverage": curve},
    }


def _part_to_dict(part: PartScore) -> dict[str, Any]:
    found, error = part.reliability, part.reliability.calibration_error
    return {
        "problems": part.problems,
        "right": part.right,
        "answered": found.answered,
        "mean_probability": None if part.mean_probability is None else round(part.mean_probability, 4),
        "sure": found.sure,
        "sure_right": found.sure_right,
        "calibration_error": None if error is None else round(error, 4),
    }


def missed(exam: ExamReport[Parse]) -> list[dict[str, Any]]:
    """The wrong answers; in the part beyond the grammar, only those with a high probability."""
    return [
        {
            "id": mark.question.problem.id,
            "text": mark.question.problem.text,
            "gold": _gold(mark.question.example),
            "found": None if mark.answer.mathematics is None else to_infix(mark.answer.mathematics),
            "probability": mark.answer.probability,
            "part": mark.question.part,
        }
        for mark in exam.marks
        if not mark.right and (mark.question.part != BEYOND or (mark.answer.probability or 0.0) >= SURE)
    ]


def _gold(example: Example | None) -> str | None:
    return None if example is None or example.expression is None else to_infix(example.expression)


def show_exam(exam: ExamReport[Parse], console: Console) -> None:
    """Print a line for each part, and how reliable the probabilities are over all of them."""
    table = Table("part", title="the parts of the exam")
    for heading in ("problems", "right", "%", "mean probability", f"with {_SURE}", "of these right"):
        table.add_column(heading, justify="right")
    for part in (*exam.parts, *([exam.whole] if len(exam.parts) > 1 else [])):
        table.add_row(*_row(part))
    console.print(table)
    whole = exam.whole.reliability
    if whole.calibration_error is not None:
        console.print(f"expected calibration error: {whole.calibration_error:.3f}", highlight=False)
    console.print(f"right among answers with at least {_SURE}: {_share(whole.sure_right, whole.sure)}")
    if exam.solvable:
        reached = _share(exam.solvable_sure, exam.solvable)
        console.print(f"solvable problems that reach {_SURE}: {reached}", highlight=False)
    for part in exam.parts:
        if part.name == BEYOND:
            answered = _share(part.reliability.sure, part.problems)
            console.print(f"problems beyond the grammar answered with at least {_SURE}: {answered}")
    curve = ", ".join(f"{point.coverage:.0%}: {1 - point.right:.1%}" for point in whole.risk_coverage)
    if curve:
        console.print(f"wrong among the surest answers, by share of the problems: {curve}", highlight=False)


def _row(part: PartScore) -> tuple[str, ...]:
    found, beyond = part.reliability, part.name == BEYOND
    mean = "–" if part.mean_probability is None else f"{part.mean_probability:.3f}"
    right = ("–", "–") if beyond else (str(part.right), f"{100 * part.right / part.problems:.1f}")
    return part.name, str(part.problems), *right, mean, str(found.sure), str(found.sure_right)


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({100 * count / of:.1f} %)" if of else "none"
