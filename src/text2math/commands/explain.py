"""The command ``text2math explain``: why a text is read as it is."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

from text2math.commands.options import Json, KnowledgeFile, Model, NoKnowledge, chosen_knowledge
from text2math.explanation.explain import REMOVALS, Explanation
from text2math.explanation.explain import explain as explain_text
from text2math.explanation.text import markdown, report
from text2math.parser import DEFAULT_MODEL, load
from text2math.render import terminal


def explain(
    text: Annotated[list[str] | None, typer.Argument(help="The text; read from stdin by default.")] = None,
    *,
    as_json: Json = False,
    alternative: Annotated[
        int,
        typer.Option("--alternative", "-a", min=0, max=49, help="Explain this alternative; 0 is the best."),
    ] = 0,
    removals: Annotated[
        int,
        typer.Option("--removals", min=0, max=200, help="How many changed texts to parse."),
    ] = REMOVALS,
    model: Model = DEFAULT_MODEL,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
) -> None:
    """Explain a reading: the words and features behind each part, and what would change it."""
    given = (" ".join(text) if text else sys.stdin.read()).strip()
    if not given:
        raise ValueError('there is no text; try: text2math explain "Tom has 3 pens and buys 2. How many?"')
    parser = load(model, knowledge=chosen_knowledge(knowledge, no_knowledge))
    explanation = explain_text(parser, given, alternative=alternative, removals=removals)
    if as_json:
        data = {"sentences": markdown(explanation), **explanation.to_dict()}
        print(json.dumps(data, ensure_ascii=False))
    else:
        _show(explanation)


def _show(explanation: Explanation) -> None:
    console = Console(highlight=False, soft_wrap=True)
    colour = console.is_terminal and not console.no_color
    parse = explanation.parse
    values = [quantity.value for quantity in parse.quantities]
    tree = explanation.reading.tree
    console.out(terminal(parse.text, parse.tokens, tree, values, colour=colour, width=console.width))
    console.out("")
    console.out(report(explanation, colour=colour))
