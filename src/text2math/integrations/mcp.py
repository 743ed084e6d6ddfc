"""text2math for assistants: an MCP server (extra ``[mcp]``) with tools to solve, check and generate.

text2math mcp                     over stdio, as assistants start it
text2math mcp --http --port 8765  over streamable HTTP, at http://127.0.0.1:8765/mcp
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from text2math import __version__
from text2math.checking.check import check as check_answer
from text2math.data.stories import DIFFICULTIES, Story
from text2math.data.stories import generate as generate_stories
from text2math.language.knowledge import Knowledge
from text2math.language.problem import MAX_CHARACTERS
from text2math.mathematics.notation import number_text, to_infix
from text2math.parse import Parse
from text2math.parser import DEFAULT_MODEL, Parser, load

MAX_PROBLEMS = 50
INSTRUCTIONS = (
    "Solves word problems exactly and offline, and says how sure it is. "
    "Trust an answer less if it comes with doubts."
)
READ_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

Text = Annotated[str, Field(max_length=MAX_CHARACTERS, description="One word problem, in English.")]
MinProbability = Annotated[
    float | None, Field(ge=0, le=1, description="Give no answer that is less likely than this.")
]
Strict = Annotated[bool, Field(description="Give no answer if there is a reason to doubt it.")]


class Solved(BaseModel):
    """What was found in a text."""

    answer: str | None = Field(description="The answer with its unit; null if there is none.")
    exact: str | None = Field(description="The exact value, such as 7 or 2/3.")
    mathematics: str | None = Field(description="The expression or equation.")
    probability: float | None = Field(description="How likely this reading is right, from 0 to 1.")
    steps: list[str]
    doubts: list[str] = Field(description="Reasons to doubt the answer.")
    other_readings: list[str]
    warnings: list[str]

    @classmethod
    def of(cls, parse: Parse) -> Solved:
        """A parse, in short."""
        found = parse.mathematics
        return cls(
            answer=parse.answer_text,
            exact=None if parse.answer is None else str(parse.answer),
            mathematics=None if found is None else to_infix(found),
            probability=parse.probability,
            steps=[str(step) for step in parse.steps],
            doubts=[str(doubt) for doubt in parse.doubts],
            other_readings=[str(other) for other in parse.alternatives],
            warnings=list(parse.warnings),
        )


class Checked(BaseModel):
    """Whether an answer agrees with ours."""

    agrees: bool | None = Field(description="Null if that can't be determined.")
    expected: str | None
    probability: float | None
    mistake: str = Field(description="What went wrong, if that is known.")
    reason: str = Field(description="Why that can't be determined.")
    doubts: list[str]


class Problem(BaseModel):
    """A problem with its solution."""

    text: str
    mathematics: str
    answer: str | None

    @classmethod
    def of(cls, story: Story) -> Problem:
        """A generated story, in short."""
        answer = None if story.answer is None else number_text(story.answer)
        mathematics = "" if story.expression is None else to_infix(story.expression)
        return cls(text=story.text, mathematics=mathematics, answer=answer)


class Problems(BaseModel):
    """Problems with their solutions."""

    problems: list[Problem]


def make_server(
    model: str = DEFAULT_MODEL,
    parser: Callable[[], Parser] | None = None,
    *,
    knowledge: bool | Knowledge = True,
) -> MCPServer[Any]:
    """The server; the model is loaded when a tool needs it first."""
    server: MCPServer[Any] = MCPServer("text2math", instructions=INSTRUCTIONS, version=__version__)
    loaded = cache(parser or (lambda: load(model, knowledge=knowledge)))

    @server.tool(
        description="Solve a word problem, or read an equation out of a sentence.", annotations=READ_ONLY
    )
    def solve(text: Text, strict: Strict = False, min_probability: MinProbability = None) -> Solved:
        return Solved.of(loaded().parse(text, strict=strict, min_probability=min_probability))

    @server.tool(description="Check somebody's answer to a word problem.", annotations=READ_ONLY)
    def check(
        text: Text,
        answer: Annotated[str, Field(max_length=2000)],
        strict: Strict = False,
        min_probability: MinProbability = None,
    ) -> Checked:
        verdict = check_answer(text, answer, parser=loaded(), strict=strict, min_probability=min_probability)
        return Checked(
            agrees=verdict.agrees,
            expected=verdict.expected,
            probability=verdict.probability,
            mistake=verdict.mistake,
            reason=verdict.reason,
            doubts=[str(doubt) for doubt in verdict.doubts],
        )

    @server.tool(description="Generate word problems with their solutions.", annotations=READ_ONLY)
    def generate(
        count: Annotated[int, Field(ge=1, le=MAX_PROBLEMS)] = 5,
        seed: Annotated[int, Field(description="The same seed gives the same problems.")] = 0,
        difficulty: Annotated[
            str | None, Field(description=f"One of {', '.join(DIFFICULTIES)}; any by default.")
        ] = None,
    ) -> Problems:
        told = generate_stories(count, seed, difficulty=difficulty, larger=False)
        return Problems(problems=[Problem.of(one) for one in told])

    return server
