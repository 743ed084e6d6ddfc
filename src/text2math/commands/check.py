"""The command ``text2math check``: whether the answers on a sheet are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from text2math.checking.check import Verdict
from text2math.checking.check import check as check_answer
from text2math.checking.report import html_report, summary
from text2math.checking.sheets import read_sheet
from text2math.commands.options import (
    Json,
    KnowledgeFile,
    MinProbability,
    Model,
    NoKnowledge,
    Strict,
    chosen_knowledge,
)
from text2math.parser import DEFAULT_MODEL, load
from text2math.render.plain import percent

SHOWN = 70  # characters of a problem


def check(
    sheet: Annotated[
        Path,
        typer.Argument(
            help='A .csv (text, answer), .jsonl, or .txt file whose lines "Answer: …" end problems.'
        ),
    ],
    *,
    as_json: Json = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a report to this file.")] = None,
    model: Model = DEFAULT_MODEL,
    text_column: Annotated[str, typer.Option("--text-column", help="The field that has the text.")] = "text",
    answer_column: Annotated[
        str, typer.Option("--answer-column", help="The field that has the answer.")
    ] = "answer",
    min_probability: MinProbability = None,
    strict: Strict = False,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
) -> int:
    """Check the answers on a sheet: which are right, what the others should be, and what went wrong.

    Answers are compared by meaning: 0.5 is 1/2, 155 cm is 1.55 m, "18 and 12" is "12 and 18". The exit code
    is 0 if all are right, and 1 if one is wrong or could not be checked.
    """
    items = read_sheet(sheet, text_column=text_column, answer_column=answer_column)
    parser = load(model, knowledge=chosen_knowledge(knowledge, no_knowledge))
    verdicts = []
    for number, item in enumerate(items, 1):
        try:
            verdict = check_answer(
                item.text, item.answer, parser=parser, min_probability=min_probability, strict=strict
            )
        except ValueError as error:
            verdict = Verdict(item.text, item.answer, None, None, None, reason=str(error))
        verdicts.append(verdict)
        if not as_json:
            _show(number, verdict)
    if html is not None:
        html.write_text(html_report(verdicts), encoding="utf-8")
    if as_json:
        print(json.dumps({"summary": summary(verdicts), "verdicts": [one.to_dict() for one in verdicts]}))
    else:
        print(f"\n{summary(verdicts)}")
    return 0 if all(one.agrees for one in verdicts) else 1


def _show(number: int, verdict: Verdict) -> None:
    text = verdict.text if len(verdict.text) <= SHOWN else f"…{verdict.text[-SHOWN:]}"
    mark = {True: "✓", False: "✗", None: "?"}[verdict.agrees]
    sure = "" if verdict.probability is None else f", {percent(verdict.probability)} sure"
    print(f"{mark} {number}. {text}\n     {verdict}{sure}")
    for doubt in verdict.doubts:
        print(f"     doubt: {doubt}")
