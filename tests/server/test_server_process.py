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
from contextlib import contextmanager, suppress
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
from text2math.server.running import run
from text2math.server.settings import Settings
settings = Settings(**{name: int(value) for name, value in (one.split("=") for one in sys.argv[2:])})
run(settings, {"fake": lambda: FakeParser(seconds=float(sys.argv[1]))}, "127.0.0.1", 0)
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
            head += "Content-Type: application/x-ndjson\r\n"
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
            connection.sendall(body)
            received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert received.count(b'"line":') == count


def connect(address: str, sent: bytes = b"") -> socket.socket:
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(sent)
    return connection


def received(connection: socket.socket) -> bytes:
    """Everything until the server hangs up."""
    with connection, suppress(ConnectionResetError):
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))
    return b""


def error_in(answer: bytes) -> dict[str, Any]:
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b"content-type: application/json" in head.lower()
    error = json.loads(body)["error"]
    assert head.startswith(f"HTTP/1.1 {error['status']} ".encode())
    return dict(error)


@pytest.mark.parametrize("dripping", [False, True])
def test_headers_that_do_not_end_are_cut_off(dripping: bool) -> None:
    with process("-c", FAKE, "0", "header_seconds=1") as (_, address):
        wait_until_up(address)
        started = time.monotonic()
        connection = connect(address, b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: ")
        with suppress(OSError):
            while dripping and time.monotonic() < started + 10:
                connection.sendall(b"a")
                time.sleep(0.1)
        answer = received(connection)
        assert time.monotonic() - started < 8
        if answer:  # a client that still sends may not see it
            assert error_in(answer)["code"] == "out_of_time"
        assert answer or dripping


def test_silent_connections_are_closed_and_the_second_request_has_a_limit_too() -> None:
    with process("-c", FAKE, "0", "header_seconds=1") as (_, address):
        wait_until_up(address)
        silent = connect(address)
        second = connect(address, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while b'"in_flight"' not in second.recv(1 << 16):
            pass
        second.sendall(b"GET /health HTTP/1.1\r\n")
        assert error_in(received(second))["status"] == 408
        assert error_in(received(silent))["status"] == 408


def test_an_address_has_only_so_many_connections_and_frees_them() -> None:
    with process("-c", FAKE, "0", "connections_per_address=5") as (_, address):
        wait_until_up(address)
        crowd = [connect(address) for _ in range(5)]
        assert error_in(received(connect(address)))["status"] == 429
        for one in crowd:
            one.close()
        wait_until_up(address)


def test_unfinished_bodies_keep_nobody_out() -> None:
    head = b"POST /api/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with process("-c", FAKE, "0", "in_flight=4") as (_, address):
        wait_until_up(address)
        crowd = [connect(address, head + b"Content-Length: 1000\r\n\r\n{") for _ in range(40)]
        answer = httpx.post(f"{address}/api/parse", json={"text": "2 and 3"})
        assert answer.json()["answer"] == 5
        for one in crowd:
            one.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"\0\1\2\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"a" * 20_000,
    ],
    ids=["no HTTP", "HTTP/0.9", "no host", "one long line"],
)
def test_malformed_http_gets_the_documented_error(sent: bytes) -> None:
    with process("-c", FAKE, "0") as (server, address):
        wait_until_up(address)
        connection = connect(address)
        with suppress(OSError):
            connection.sendall(sent)
        assert error_in(received(connection))["code"] == "bad_request"
        server.send_signal(signal.SIGTERM)
        assert "Traceback" not in server.communicate(timeout=20)[1]


def test_a_crowd_of_bad_connections_does_not_fill_the_log() -> None:
    with process("-c", FAKE, "0") as (server, address):
        wait_until_up(address)
        for _ in range(300):
            received(connect(address, b"no HTTP at all\r\n\r\n"))
        server.send_signal(signal.SIGTERM)
        log = server.communicate(timeout=20)[1]
    assert log.count("Invalid HTTP request") <= 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="descriptors are limited by a POSIX shell")
@pytest.mark.slow
def test_few_file_descriptors_neither_stop_the_server_nor_fill_the_log() -> None:
    command = f"ulimit -n 100; exec {sys.executable} -c '{FAKE}' 0 header_seconds=2"
    with process("-c", "import os, sys; os.execvp('sh', ['sh', '-c', sys.argv[1]])", command) as (
        server,
        address,
    ):
        wait_until_up(address)
        crowd = [connect(address) for _ in range(300)]
        time.sleep(3)
        for one in crowd:
            one.close()
        assert wait_until_up(address)["status"]
        server.send_signal(signal.SIGTERM)
        log = server.communicate(timeout=20)[1]
    assert len(log) < 50_000


def elsewhere(method: str, address: str, **options: Any) -> Any:
    """A request from another address of this machine."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=20) as client:
        return client.request(method, address, **options)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="127.0.0.2 is an address on Linux only")
def test_with_few_descriptors_one_address_leaves_room_for_another() -> None:
    command = f"ulimit -n 100; exec {sys.executable} -c '{FAKE}' 0 header_seconds=20"
    with process("-c", "import os, sys; os.execvp('sh', ['sh', '-c', sys.argv[1]])", command) as (_, address):
        wait_until_up(address)
        crowd = [connect(address) for _ in range(60)]
        latest = time.monotonic() + 10  # a busy machine may need a moment to turn most of the crowd away
        while True:
            found = elsewhere("POST", f"{address}/api/parse", json={"text": "2 and 3"})
            if found.json().get("answer") == 5:
                break
            assert time.monotonic() < latest, found.text
            time.sleep(0.2)
        for one in crowd:
            one.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="127.0.0.2 is an address on Linux only")
def test_the_streams_of_one_address_leave_room_for_those_of_another() -> None:
    head = b"POST /api/parse/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    with process("-c", FAKE, "0") as (_, address):
        wait_until_up(address)
        crowd = [connect(address, head + b"Content-Length: 1000\r\n\r\n") for _ in range(8)]
        while httpx.get(f"{address}/health").json()["in_flight"] < 4:
            time.sleep(0.02)
        stream = {"content": b'"2 and 3"\n', "headers": {"content-type": "application/x-ndjson"}}
        assert httpx.post(f"{address}/api/parse/stream", **stream).status_code == 429
        assert elsewhere("POST", f"{address}/api/parse/stream", **stream).json()["answer"] == 5
        for one in crowd:
            one.close()


def test_sigterm_ends_a_stream_with_a_line_that_says_so() -> None:
    head = b"POST /api/parse/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    with process("-c", FAKE, "0") as (server, address):
        wait_until_up(address)
        connection = connect(address, head + b'Content-Length: 100000\r\n\r\n"1 and 1"\n')
        answer = b""
        while b'"line"' not in answer:
            answer += connection.recv(1 << 16)
        server.send_signal(signal.SIGTERM)
        answer += received(connection)
        assert b'"code":"stopping"' in answer
        assert "Traceback" not in server.communicate(timeout=20)[1]


def test_a_port_in_use_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another with --port" in capsys.readouterr().err
