"""Model cards as Markdown: the data, figures and limits of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2math.inference.forest import MAX_QUANTITIES, MAX_WORDS

_SMALLER = """\
- English only. Four operators and `=`, up to two unknowns, one equation; no powers, no systems, no geometry
  beyond formulas over the numbers of the text.
- Every number must appear in the text. Numbers that must be known from elsewhere (days in a week, legs of a
  spider) are out of reach.
- Each number is used at most once, and the numbers of one operand must be next to each other in the text."""
_LARGER = """\
- English only. Four operators, rounding, `=`, and systems of up to four equations over three unknowns; no
  powers, roots, inequalities or probabilities, and no figures.
- A number is written in the text, known from a table of facts (days in a week, legs of a spider, units), or
  one of these again where a later word refers to it. Other facts are out of reach.
- Except where a word refers back to a number, each is used once, and the numbers of one operand must be next
  to each other in the text. Equations of a system may enclose others."""
_EVERY_MODEL = f"""\
- At most {MAX_WORDS} words and {MAX_QUANTITIES} numbers.
- It recognises phrasing; it does not understand stories. A wrong answer can have a high probability if a
  text looks like another kind of problem. Check answers that matter.
"""


def card_text(name: str, card: Mapping[str, Any]) -> str:
    """The card of a model as Markdown, from the figures recorded when it was trained.

    >>> card_text("mine", {"about": "For my own problems."}).splitlines()[:3]
    ['# mine', '', 'For my own problems.']
    """
    parts = [f"# {name}\n", f"{card['about']}\n" if "about" in card else ""]
    if "sources" in card:
        parts.append(_data(card))
    if "held_out" in card:
        parts.append(_figures(card))
    if "cross_fitted" in card:
        parts.append(_cross_fitted(card))
    if "judged" in card:
        parts.append(_judged(card))
    if "exam" in card:
        parts.append(_exam(card["exam"], name))
    if "reliability" in card:  # not in older files
        parts.append(_by_source(card["reliability"]))
    if "robustness" in card:
        parts.append(_robustness(card["robustness"], name))
    parts += [f"{paragraph}\n" for paragraph in card.get("notes", ())]
    if "command" in card:
        # The stages of a model with five networks may be run on several machines, one by one.
        how = "To make it again" if "judged" in card else "Made by"
        parts.append(f"## {how}\n\n```sh\n{card['command']}\n```\n")
    of_grammar = _LARGER if card.get("grammar") == "larger" else _SMALLER
    limits = f"## Limits\n\n{of_grammar}\n{_EVERY_MODEL}"
    return "\n".join([part for part in [*parts, limits] if part])


def _data(card: Mapping[str, Any]) -> str:
    rows = "\n".join(f"| {name} | {count:,} |" for name, count in card["sources"].items() if count)
    table = f"| source | problems |\n| --- | ---: |\n{rows}\n"
    if "held_out" in card:
        return (
            f"## Data\n\n{card['examples']:,} problems that the grammar expresses. Texts that differ only "
            "in their numbers are\ncounted once, under the first source that has them; `stories`, "
            f"`exercises` and `phrases` are text2math's own.\n{card['unreachable']:,} of the problems that "
            f"the tested model was trained on have no text-math tree (their numbers cross).\n\n{table}"
        )
    return (
        f"## Data\n\n{card['examples']:,} problems{_on_top_of(card)}; {card['unreachable']:,} of them "
        f"have no text-math tree\n(their numbers cross) and were not trained on.{_chosen(card)}\n\n{table}"
    )


def _chosen(card: Mapping[str, Any]) -> str:
    """Which problems of its sources a recipe takes."""
    if "chosen" not in card:
        return ""
    return (
        f" None has more than {card['chosen']['words']} words or {card['chosen']['operations']}\noperations. "
        "Texts that differ only in their numbers are counted once, under the first source that has\nthem. "
        "`stories` (our sheets, retold) and `phrases` are text2math's own; they are trained on, but\n"
        "never tested on."
    )


def _on_top_of(card: Mapping[str, Any]) -> str:
    return f", on top of the scores of `{card['base']}`" if "base" in card else ""


def _cross_fitted(card: Mapping[str, Any]) -> str:
    """The cross-fitted accuracy on training problems."""
    rows = _tallies({"all": card["cross_fitted"], **card.get("cross_fitted_by_kind", {})})
    return (
        "## Figures\n\nThe honest protocol: nothing but the text is given. The training problems were split, "
        "and each part\nwas read by a model that had trained, for fewer steps, on the others.\n\n"
        f"| held out | right | % |\n| --- | ---: | ---: |\n{rows}\n\nProbabilities are calibrated with the "
        f"temperature {card['temperature']}, fitted on these{_but(card)}; the expected\ncalibration error is "
        f"{card['calibration_error']:.3f} (ten bins, each half with the other half's temperature).\n"
        + _presence(card)
    )


def _but(card: Mapping[str, Any]) -> str:
    """The sources that the temperature was not fitted on."""
    return f" (not on {', '.join(card['uncalibrated'])})" if "uncalibrated" in card else ""


def _figures(card: Mapping[str, Any]) -> str:
    rows = _tallies(card["held_out"])
    return (
        "## Figures\n\nThe honest protocol: nothing but the text is given. One problem in ten was held out "
        "(not the\ngenerated ones; a text and its copies with other numbers stay together), a model was "
        "trained on the\nothers, and tested on these. This one was then trained on all, the same way."
        "\n\n| held out | right | % |\n| --- | ---: | ---: |\n"
        f"{rows}\n\nProbabilities are calibrated with the temperature {card['temperature']}, fitted on the "
        "held-out problems; the\nexpected calibration error is "
        f"{card['calibration_error']:.3f} (ten bins, each half with the other half's temperature).\n"
        + _presence(card)
    )


def _exam(exam: Mapping[str, Any], model: str) -> str:
    return (
        "The exam, problems of our own that no model is trained on "
        f"(`text2math evaluate exam --model {model}`):\n\n"
        f"| exam | right | % |\n| --- | ---: | ---: |\n{_tallies(exam['tasks'])}\n\n"
        f"{_reliability(exam)}\n"
    )


def _reliability(exam: Mapping[str, Any]) -> str:
    """What the probabilities of the answers are worth, also beyond the grammar."""
    if exam["calibration_error"] is None:
        return "It answered none of them."
    found = f"Its expected calibration error is {exam['calibration_error']:.3f}."
    if "sure" not in exam or "beyond" not in exam:  # older files
        return found
    sure, beyond = exam["sure"], exam["beyond"]
    return (
        f"{found} Of its {sure['all']:,} answers with at least 90 %, {sure['right']:,} are right;\n"
        f"{beyond['sure']} of {beyond['all']} problems beyond its grammar get such an answer."
    )


_ABOUT_RELIABILITY = """\
## Reliability

Held-out problems of each data set, and exercises of held-out sheets; the network, the reranker and the
calibration learned from others. Inside the grammar: the problems, the share right, the expected calibration
error (ECE), the share of the answers with at least 90 %, how many of these are right, and the share of the
problems that can be answered, the most probable answers first, until 2, 5 or 10 % of the answers are wrong.
Beyond it: the problems without a gold that the grammar expresses. Any answer to them counts as wrong.
Probabilities are calibrated on the exercises, which are by other authors, inside and beyond the grammar.
"""
_INSIDE = ("problems", "right, %", "ECE", "≥ 90 %, %", "right", "2 % wrong", "5 % wrong", "10 % wrong")
_BEYOND = ("beyond", "ECE", "≥ 90 %")


def _by_source(reliability: Mapping[str, Any]) -> str:
    """What the probabilities are worth in each data set, inside and beyond the grammar."""
    inside, beyond = reliability["inside"], reliability["beyond"]
    rows = "\n".join(
        f"| {' | '.join((name, *_inside(inside.get(name)), *_beyond(beyond.get(name))))} |"
        for name in dict.fromkeys((*inside, *beyond))
    )
    headings = (*_INSIDE, *_BEYOND)
    return (
        f"{_ABOUT_RELIABILITY}\n| held out | {' | '.join(headings)} |\n"
        f"| --- |{' ---: |' * len(headings)}\n{rows}\n"
    )


def _inside(found: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The cells of the problems that the grammar expresses."""
    if found is None:
        return ("–",) * len(_INSIDE)
    return (
        f"{found['problems']:,}",
        _percent(found["right"], found["problems"]),
        _error(found),
        _percent(found["sure"], found["answered"]),
        f"{found['sure_right']:,} of {found['sure']:,}",
        *(f"{100 * share:.1f}" for share in found["coverage_at_risk"].values()),
    )


def _beyond(found: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The cells of the problems beyond the grammar."""
    if found is None:
        return ("–",) * len(_BEYOND)
    return f"{found['problems']:,}", _error(found), f"{found['sure']:,}"


def _percent(some: int, all: int) -> str:
    return f"{100 * some / all:.1f}" if all else "–"


def _error(found: Mapping[str, Any]) -> str:
    error = found["calibration_error"]
    return "–" if error is None else f"{error:.3f}"


def _robustness(measured: Mapping[str, Any], model: str) -> str:
    """How many right readings of the exam are broken by changes to the text that keep its meaning."""
    rows = "\n".join(
        f"| {row['change']} | {row['problems']} | {row['broken']} | {row['fixed']} "
        f"| {100 * row['broken'] / max(row['problems'], 1):.1f} |"
        for row in measured["changes"]
    )
    return (
        "## Robustness\n\nThe exam again, each text changed in a way that keeps its meaning: how many "
        "right readings become wrong\n(broken), and how many wrong ones become right (fixed) "
        f"(`python benchmarks/robustness.py --model {model}`):\n\n"
        "| change | problems | broken | fixed | broken, % |\n| --- | ---: | ---: | ---: | ---: |\n"
        f"{rows}\n"
    )


def _presence(card: Mapping[str, Any]) -> str:
    kept = card.get("presence")
    if not kept:
        return ""
    return (
        f"\nTexts without mathematics: {kept['refused']} of {kept['absent']} held-out ones (statements and "
        f"questions with too few\nnumbers) are recognised, and {kept['kept']} of {kept['present']} problems "
        "are let through.\n"
    )


def _tallies(tallies: Mapping[str, Mapping[str, int]]) -> str:
    return "\n".join(
        f"| {name} | {tally['right']} of {tally['all']} | {100 * tally['right'] / tally['all']:.1f} |"
        for name, tally in tallies.items()
    )


def _judged(card: Mapping[str, Any]) -> str:
    rows = _tallies(card["judged"])
    curve = "\n".join(
        f"| {point['min_probability']:g} | {point['coverage']} | {point['accuracy']} |"
        for point in card["curve"]
    )
    return (
        "## Figures\n\nThe honest protocol: nothing but the text is given. Five networks, each trained "
        "without a fifth of the\nproblems (the paper's folds of AI2, IL and equations; copies that differ "
        "only in numbers left out too),\neach tested on that fifth.\n\n"
        f"| held out | right | % |\n| --- | ---: | ---: |\n{rows}\n\n"
        f"Expected calibration error {card['calibration_error']:.3f} (ten bins). "
        "What `--min-probability` does:\n\n"
        f"| at least | answered, % | of these right, % |\n| ---: | ---: | ---: |\n{curve}\n"
    )
