"""The command ``text2math mcp``: tools for an assistant."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from text2math.commands.options import KnowledgeFile, Model, NoKnowledge, chosen_knowledge
from text2math.parser import DEFAULT_MODEL


def mcp(
    *,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP, not stdio.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen on, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port, with --http.")] = 8765,
    model: Model = DEFAULT_MODEL,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
) -> None:
    """Serve the tools solve, check and generate to an assistant, over the Model Context Protocol.

    An assistant starts the command itself and talks to it over stdio. With --http it is a server at /mcp.
    """
    if find_spec("mcp") is None:
        raise ValueError("the tools need the MCP SDK: pip install 'text2math[mcp]'")
    from text2math.integrations.mcp import make_server  # the extra [mcp]

    server = make_server(model, knowledge=chosen_knowledge(knowledge, no_knowledge))
    if http:
        server.run("streamable-http", host=host, port=port)
    else:
        server.run("stdio")
