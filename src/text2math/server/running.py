"""Running a server: it listens, and serves until a signal."""

from __future__ import annotations

import logging
import socket
import threading
import webbrowser
from collections.abc import Mapping

import typer

from text2math.server.logs import OncePerWindow
from text2math.server.settings import Settings
from text2math.server.work import Loader

# Connections that wait to be accepted. All are taken in one go, so there must be descriptors for them.
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
