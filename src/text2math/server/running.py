"""Running a server until it receives a signal."""

from __future__ import annotations

import logging
import socket
import threading
import webbrowser
from collections.abc import Mapping

import typer

from text2math.server.logs import RepeatLimit
from text2math.server.settings import Settings
from text2math.server.work import Loader

# Connections waiting to be accepted. All of them are accepted at once, so each needs a file descriptor.
BACKLOG = 128


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
        handler.addFilter(RepeatLimit())
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
    """A listening socket; if the address can't be used, the error says why."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ValueError(
            f"{host}, port {port}: {error.strerror}; choose another with --port or --host"
        ) from None
    # An answer is sent in two pieces; without this, the second waits up to 40 ms for the client to
    # acknowledge the first. asyncio sets it only on sockets that it creates itself.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
