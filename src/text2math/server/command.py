"""The command ``text2math serve``."""

from __future__ import annotations

import logging
import socket
import threading
import webbrowser
from collections.abc import Mapping
from functools import partial
from typing import Annotated

import typer

from text2math.server.logs import OncePerWindow
from text2math.server.settings import Settings
from text2math.server.work import Loader

DEFAULTS = Settings()
# Connections that wait to be accepted. All are taken in one go, so there must be descriptors for them.
BACKLOG = 128


def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 is every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A model's name or file; several may be given, the first is the default."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads that parse.")] = DEFAULTS.threads,
    words: Annotated[int, typer.Option(min=1, help="Words of a text.")] = DEFAULTS.words,
    items: Annotated[int, typer.Option(min=1, help="Texts of a request.")] = DEFAULTS.items,
    body_bytes: Annotated[int, typer.Option(min=1, help="Bytes of a request.")] = DEFAULTS.body_bytes,
    stream_bytes: Annotated[int, typer.Option(min=1, help="Bytes of a stream.")] = DEFAULTS.stream_bytes,
    stream_items: Annotated[int, typer.Option(min=1, help="Lines of a stream.")] = DEFAULTS.stream_items,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds a request may take.")] = DEFAULTS.seconds,
    in_flight: Annotated[int, typer.Option(min=1, help="Requests at the same time.")] = DEFAULTS.in_flight,
    streams: Annotated[int, typer.Option(min=1, help="Streams at the same time.")] = DEFAULTS.streams,
    streams_per_address: Annotated[
        int, typer.Option(min=1, help="Streams at the same time from one address; a proxy is one address.")
    ] = DEFAULTS.streams_per_address,
    connections: Annotated[int, typer.Option(min=1, help="Open connections.")] = DEFAULTS.connections,
    connections_per_address: Annotated[
        int, typer.Option(min=1, help="Open connections from one address; a proxy is one address.")
    ] = DEFAULTS.connections_per_address,
    header_seconds: Annotated[
        float, typer.Option(min=1, help="Seconds for the headers of a request.")
    ] = DEFAULTS.header_seconds,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name the server is reached by, beside localhost and its address; '*' is any."),
    ] = None,
    cors: Annotated[
        list[str] | None, typer.Option(help="An origin whose pages may call the API (https://example.org).")
    ] = None,
    log_texts: Annotated[bool, typer.Option("--log-texts", help="Write users' texts to the log.")] = False,
) -> None:
    """Serve the page and the API.

    It runs until it is interrupted, and finishes what it is answering.
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
    run(settings, _loaders(model or []), host, port, open_page=open_page)


def _loaders(names: list[str]) -> dict[str, Loader]:
    from text2math.parser import load, model_names

    return {name: partial(load, name) for name in names or model_names()}


def run(
    settings: Settings, parsers: Mapping[str, Loader], host: str, port: int, *, open_page: bool = False
) -> None:
    """Serve until a signal; requests being answered are finished first."""
    try:
        import uvicorn

        from text2math.server.app import create_app
        from text2math.server.connections import Server, bounded_protocol
    except ImportError as error:
        raise ValueError(f"{error.name} is missing: pip install 'text2math[server]'") from None
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(OncePerWindow())
    app = create_app(settings, parsers)
    config = uvicorn.Config(
        app,
        http=bounded_protocol(settings),
        ws="none",
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=30,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    with listen(host, port) as listener:
        address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
        typer.echo(f"text2math is at {address} (stop it with Ctrl+C)")
        if open_page:
            threading.Timer(0.5, webbrowser.open, (address,)).start()
        Server(config, app.state.stopping).run([listener])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or the reason why it can't."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ValueError(
            f"{host}, port {port}: {error.strerror}; choose another with --port or --host"
        ) from None
    # An answer leaves in two pieces; the second must not wait 40 ms until the client has acknowledged the
    # first. asyncio sees to that only for sockets it makes itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
