"""The server as a process of its own: the command, its signals, its log."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from text2math.cli import main

httpx = pytest.importorskip("httpx", reason="the extra [dev] is not installed")
pytest.importorskip("uvicorn", reason="the extra [server] is not installed")

TESTS = Path(__file__).parent.parent
FAKE = """
import sys
from fakes import FakeParser
from text2math.server.command import run
from text2math.server.settings import Settings
run(Settings(), {"fake": lambda: FakeParser(seconds=float(sys.argv[1]))}, "127.0.0.1", 0)
"""


@contextmanager
def process(*command: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server, and its address as soon as it says it."""
    environment = os.environ | {"PYTHONPATH": str(TESTS), "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        assert "http://127.0.0.1:" in line, running.stderr.read() if running.stderr else ""
        yield running, line.split()[3].rstrip("/")
    finally:
        running.kill()
        running.wait()


def wait_until_up(address: str) -> dict[str, Any]:
    for _ in range(200):
        try:
            return dict(httpx.get(f"{address}/health").json())
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError(f"{address} does not answer")


def test_sigterm_finishes_what_is_in_flight_and_leaves_a_clean_log() -> None:
    with process("-c", FAKE, "1.5") as (server, address):
        wait_until_up(address)
        answers: list[Any] = []
        body = {"text": "my secret has 2 and 3"}
        asking = threading.Thread(
            target=lambda: answers.append(httpx.post(f"{address}/api/parse", json=body, timeout=20))
        )
        asking.start()
        while not httpx.get(f"{address}/health").json()["in_flight"]:
            time.sleep(0.02)
        server.send_signal(signal.SIGTERM)
        asking.join()
        assert answers[0].json()["answer"] == 5
        _, log = server.communicate(timeout=20)
        assert "POST /api/parse 200" in log
        assert "Traceback" not in log
        assert "secret" not in log
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{address}/health")


def test_an_answer_does_not_wait_for_the_network_to_settle() -> None:
    """Its two pieces once were 40 ms apart, at the least."""
    with process("-c", FAKE, "0") as (_, address), httpx.Client(base_url=address) as client:
        wait_until_up(address)
        spent = []
        for _ in range(20):
            started = time.perf_counter()
            client.get("/health")
            spent.append(time.perf_counter() - started)
        assert min(spent) < 0.03


def test_the_command_serves_the_model_that_comes_with_it() -> None:
    with process("-m", "text2math.cli", "serve", "--port", "0", "--words", "60") as (_, address):
        wait_until_up(address)
        text = "Tom has 3 boxes with 4 pens each. How many pens does he have?"
        found = httpx.post(f"{address}/api/parse", json={"text": text}, timeout=60).json()
        assert found["answer"] == 12
        explained = httpx.post(f"{address}/api/explain", json={"text": text}, timeout=60).json()
        assert explained["sentences"]
        assert httpx.get(f"{address}/api/models").json()["limits"]["words"] == 60
        assert "text/html" in httpx.get(address).headers["content-type"]


def test_a_client_that_sends_all_before_it_reads_is_served() -> None:
    """Neither lines nor answers fit the sockets' buffers: a server that waited for its reader would hang."""
    count = 600
    lines = "".join(json.dumps({"text": "1 and 1", "id": "x" * 20_000}) + "\n" for _ in range(count))
    with process("-c", FAKE, "0") as (_, address):
        wait_until_up(address)
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=120) as connection:
            body = lines.encode()
            head = f"POST /api/parse/stream HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
            connection.sendall(body)
            received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert received.count(b'"line":') == count


def test_a_port_in_use_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another with --port" in capsys.readouterr().err
