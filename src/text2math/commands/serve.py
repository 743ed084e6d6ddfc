"""The command ``text2math serve``."""

from __future__ import annotations

import logging
from functools import partial
from typing import Annotated

import typer

from text2math.commands.options import KnowledgeFile, NoKnowledge, chosen_knowledge
from text2math.language.knowledge import Knowledge
from text2math.parser import Parser, load, model_names
from text2math.server.running import run
from text2math.server.settings import Settings
from text2math.server.work import Loader

DEFAULTS = Settings()


def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = 8000,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A model's name or file; repeat for more. The first is the default."),
    ] = None,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads that parse.")] = DEFAULTS.threads,
    words: Annotated[int, typer.Option(min=1, help="Maximum words per text.")] = DEFAULTS.words,
    items: Annotated[int, typer.Option(min=1, help="Maximum texts per request.")] = DEFAULTS.items,
    body_bytes: Annotated[int, typer.Option(min=1, help="Maximum size of a request.")] = DEFAULTS.body_bytes,
    stream_bytes: Annotated[
        int, typer.Option(min=1, help="Maximum size of a stream.")
    ] = DEFAULTS.stream_bytes,
    stream_items: Annotated[
        int, typer.Option(min=1, help="Maximum lines per stream.")
    ] = DEFAULTS.stream_items,
    seconds: Annotated[float, typer.Option(min=1, help="Time limit of a request.")] = DEFAULTS.seconds,
    in_flight: Annotated[
        int, typer.Option(min=1, help="Maximum requests at the same time.")
    ] = DEFAULTS.in_flight,
    streams: Annotated[int, typer.Option(min=1, help="Maximum streams at the same time.")] = DEFAULTS.streams,
    streams_per_address: Annotated[
        int, typer.Option(min=1, help="The same from one address; a proxy is one address.")
    ] = DEFAULTS.streams_per_address,
    connections: Annotated[int, typer.Option(min=1, help="Maximum open connections.")] = DEFAULTS.connections,
    connections_per_address: Annotated[
        int, typer.Option(min=1, help="The same from one address; a proxy is one address.")
    ] = DEFAULTS.connections_per_address,
    header_seconds: Annotated[
        float, typer.Option(min=1, help="Time limit of the headers of a request.")
    ] = DEFAULTS.header_seconds,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A host name to answer to, besides localhost and IP addresses; '*' for any."),
    ] = None,
    cors: Annotated[
        list[str] | None, typer.Option(help="An origin whose pages may call the API (https://example.org).")
    ] = None,
    log_texts: Annotated[bool, typer.Option("--log-texts", help="Write users' texts to the log.")] = False,
) -> None:
    """Serve the page and the API.

    It runs until it is interrupted; running requests are finished first.
    """
    settings = Settings(
        body_bytes=body_bytes,
        words=words,
        items=items,
        seconds=seconds,
        in_flight=in_flight,
        stream_bytes=stream_bytes,
        stream_items=stream_items,
        streams=streams,
        streams_per_address=streams_per_address,
        connections=connections,
        connections_per_address=connections_per_address,
        header_seconds=header_seconds,
        threads=threads,
        hosts=tuple(allow_host or ()),
        cors=tuple(cors or ()),
        log_texts=log_texts,
    )
    run(
        settings,
        _loaders(model or [], chosen_knowledge(knowledge, no_knowledge)),
        host,
        port,
        open_page=open_page,
    )


def _loaders(names: list[str], knowledge: bool | Knowledge) -> dict[str, Loader]:
    return {name: partial(_load, name, knowledge) for name in names or model_names()}


def _load(name: str, knowledge: bool | Knowledge) -> Parser:
    """The parser of a model; a model that does not use facts is served without them."""
    parser = load(name)
    if parser.uses_knowledge or not isinstance(knowledge, Knowledge):
        return parser.with_knowledge(knowledge)
    logging.getLogger("text2math.server").warning(
        "model %s does not use facts: --knowledge is ignored for it", name
    )
    return parser
