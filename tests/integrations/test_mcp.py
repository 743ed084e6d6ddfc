"""The MCP server, through the SDK's own client: in process, over stdio, over HTTP."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from mcp import Client, StdioServerParameters

from fakes import FakeParser
from text2math.integrations.mcp import make_server

APPLES = "7 apples and 3 apples. How many apples are there?"
COMMAND = ["-m", "text2math", "mcp", "--model", "small"]


async def called(server: Any, tool: str, arguments: dict[str, Any]) -> Any:
    async with Client(server) as client:
        return await client.call_tool(tool, arguments)


def in_process(tool: str, **arguments: Any) -> Any:
    return asyncio.run(called(make_server(parser=FakeParser), tool, arguments))  # type: ignore[arg-type]


def test_the_tools_have_schemas_that_say_what_they_take_and_give():
    async def listed() -> Any:
        async with Client(make_server(parser=FakeParser)) as client:  # type: ignore[arg-type]
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert set(tools) == {"solve", "check", "generate"}
    assert tools["solve"].input_schema["required"] == ["text"]
    assert tools["check"].input_schema["required"] == ["text", "answer"]
    assert tools["generate"].input_schema["properties"]["count"]["maximum"] == 50
    assert all(tool.output_schema and tool.description for tool in tools.values())


def test_solve_gives_answer_steps_and_doubts():
    found = in_process("solve", text=APPLES).structured_content
    assert (found["answer"], found["mathematics"]) == ("10 apples", "7 + 3")
    assert found["steps"][-1].startswith("7 + 3 = 10 apples")


def test_check_says_what_went_wrong():
    found = in_process("check", text=APPLES, answer="4").structured_content
    assert (found["agrees"], found["expected"]) == (False, "10 apples")
    assert found["mistake"].startswith("you subtracted")


@pytest.mark.parametrize("option", [{"strict": True}, {"min_probability": 1.0}])
def test_an_answer_that_is_not_sure_enough_is_withheld(option: dict[str, Any]):
    ropes = "5 centimeters and 3 meters of rope. How much rope?"
    assert in_process("solve", text=ropes).structured_content["answer"] is not None
    assert in_process("solve", text=ropes, **option).structured_content["answer"] is None
    assert in_process("check", text=ropes, answer="8", **option).structured_content["expected"] is None


def test_generate_gives_problems_with_solutions():
    found = in_process("generate", count=2, seed=3).structured_content["problems"]
    assert len(found) == 2
    assert all(problem["text"] and problem["mathematics"] for problem in found)


def test_wrong_use_is_an_error_that_names_the_fault():
    result = in_process("generate", count=1000)
    assert result.is_error
    assert "50" in result.content[0].text


@pytest.mark.slow
def test_an_assistant_starts_it_over_stdio():
    server = StdioServerParameters(command=sys.executable, args=COMMAND)
    result = asyncio.run(called(server, "solve", {"text": "What is 12 * 4?"}))
    assert result.structured_content["exact"] == "48"


@pytest.mark.slow
def test_it_serves_http():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, *COMMAND, "--http", "--port", str(port)])
    try:
        for _ in range(120):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.25)
        result = asyncio.run(called(f"http://127.0.0.1:{port}/mcp", "solve", {"text": "What is 12 * 4?"}))
        assert result.structured_content["exact"] == "48"
    finally:
        process.terminate()
        process.wait(10)
