"""The API, in process: answers, limits, refusals, headers, the log."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from fakes import FakeParser, fact_model

httpx = pytest.importorskip("httpx", reason="the extra [dev] is not installed")
pytest.importorskip("fastapi", reason="the extra [server] is not installed")

from text2math.parser import Parser, load  # noqa: E402
from text2math.render.colours import PALETTES  # noqa: E402
from text2math.server.app import create_app  # noqa: E402
from text2math.server.settings import Settings  # noqa: E402

APPLES = "Mike picked 7 apples. Nancy picked 3 apples. How many apples are that?"
JSON = {"content-type": "application/json"}
LINES = {"content-type": "application/x-ndjson"}


class Served:
    """An application without a network: each call runs in an event loop of its own."""

    def __init__(self, **settings: Any) -> None:
        self.parser = FakeParser()
        self.app = create_app(
            Settings(threads=2, **settings), {"fake": lambda: self.parser, "other": FakeParser}
        )

    def run(self, use: Callable[[Any], Awaitable[Any]]) -> Any:
        async def main() -> Any:
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await use(client)

        return asyncio.run(main())

    def get(self, path: str, **options: Any) -> Any:
        return self.run(lambda client: client.get(path, **options))

    def post(self, path: str, body: Any, headers: dict[str, str] = JSON) -> Any:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.run(lambda client: client.post(path, content=content, headers=headers))

    def stream(self, *lines: str, headers: dict[str, str] = LINES) -> list[Any]:
        answer = self.post("/api/parse/stream", "\n".join(lines).encode(), headers)
        assert answer.status_code == 200
        return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture
def served() -> Served:
    return Served()


def refused(answer: Any, status: int, code: str) -> str:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert error["status"] == status
    assert error["code"] == code
    return str(error["message"])


# ------------------------------------------------------------------------------------------------ answers


def test_one_text_gets_one_parse(served: Served) -> None:
    answer = served.post("/api/parse", {"text": APPLES})
    assert answer.status_code == 200
    assert (answer.json()["expression"], answer.json()["answer"]) == ("7 + 3", 10)


def test_a_list_gets_a_list_in_its_order(served: Served) -> None:
    found = served.post("/api/parse", {"text": ["7 and 3", "nothing", "1 and 1"]}).json()
    assert [one["answer"] for one in found] == [10, None, 2]


def test_the_answer_is_what_the_library_says(served: Served) -> None:
    assert served.post("/api/parse", {"text": APPLES}).json() == FakeParser().parse(APPLES).to_dict()


def test_options_reach_the_parser(served: Served) -> None:
    text = "7 apples, 3 pears, 2 plums"
    assert served.post("/api/parse", {"text": text, "ignore": [1]}).json()["answer"] == 9
    assert served.post("/api/parse", {"text": "on page 4, 5 words", "use": [0]}).json()["answer"] == 9
    assert len(served.post("/api/parse", {"text": text, "top": 2}).json()["alternatives"]) == 1
    assert served.post("/api/parse", {"text": text, "min_probability": 0.9}).json()["kind"] == "none"


def test_an_answer_is_checked_and_a_mistake_named(served: Served) -> None:
    right = served.post("/api/check", {"text": APPLES, "answer": "ten apples"}).json()
    assert (right["agrees"], right["expected"]) == (True, "10 apples")
    wrong = served.post("/api/check", {"text": APPLES, "answer": "4"}).json()
    assert wrong["agrees"] is False
    assert wrong["mistake"].startswith("you subtracted")
    refused(served.post("/api/check", {"text": APPLES}), 422, "invalid")


def test_knowledge_can_be_left_out_of_any_request() -> None:
    served = Served()
    served.app = create_app(Settings(threads=2), {"facts": lambda: Parser.of(fact_model())})
    text = "Al jogs 3 miles a day. How many miles is that in a week?"
    assert served.get("/api/models").json()["models"][0]["knowledge"] is False  # it is not loaded yet
    for more, expected in (({}, 21), ({"knowledge": True}, 21), ({"knowledge": False}, None)):
        assert served.post("/api/parse", {"text": text, **more}).json()["answer"] == expected
        line = json.dumps({"text": text, **more})
        assert served.stream(line)[0]["answer"] == expected
    assert served.post("/api/check", {"text": text, "answer": "21"}).json()["agrees"] is True
    body = {"text": text, "answer": "21", "knowledge": False}
    assert served.post("/api/check", body).json()["agrees"] is None
    assert served.post("/api/explain", {"text": text}).json()["reading"]["answer"] == 21
    refused(served.post("/api/explain", {"text": text, "knowledge": False}), 422, "unreadable")
    assert (
        served.post("/api/render", {"text": text}).text
        != served.post("/api/render", {"text": text, "knowledge": False}).text
    )
    refused(served.post("/api/parse", {"text": text, "knowledge": "facts.json"}), 422, "invalid")
    assert served.get("/api/models").json()["models"][0]["knowledge"] is True


def test_a_doubtful_answer_is_withheld_when_strict(served: Served) -> None:
    text = "5 centimeters and 3 meters of rope. How much rope?"
    assert served.post("/api/parse", {"text": text}).json()["doubts"][0]["code"] == "units-differ"
    assert served.post("/api/parse", {"text": text, "strict": True}).json()["answer"] is None
    checked = {"text": text, "answer": "8"}
    assert served.post("/api/check", checked).json()["expected"] is not None
    assert served.post("/api/check", {**checked, "strict": True}).json()["expected"] is None
    assert served.post("/api/check", {**checked, "min_probability": 1.0}).json()["expected"] is None


def test_a_model_is_chosen_by_name(served: Served) -> None:
    served.post("/api/parse", {"text": APPLES, "model": "other"})
    assert APPLES not in served.parser.texts
    message = refused(served.post("/api/parse", {"text": APPLES, "model": "huge"}), 422, "unknown_model")
    assert "fake, other" in message


def test_a_picture_is_an_svg(served: Served) -> None:
    answer = served.post("/api/render", {"text": APPLES + " <b>", "theme": "dark", "alternative": 1})
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg ")
    assert "<b>" not in answer.text
    refused(served.post("/api/render", {"text": APPLES, "alternative": 9}), 422, "no_such_reading")


def test_models_and_limits_are_listed(served: Served) -> None:
    listed = served.get("/api/models").json()
    assert [(one["name"], one["default"]) for one in listed["models"]] == [("fake", True), ("other", False)]
    assert listed["limits"]["words"] == Settings().words


# ------------------------------------------------------------------------------------------------ streams


def test_each_line_of_a_stream_gets_a_line_in_order() -> None:
    found = Served().stream('"7 and 3"', "", '{"text": "2 and 2", "id": "b"}', '{"text": "none", "id": 5}')
    assert [(one["line"], one.get("id"), one["answer"]) for one in found] == [
        (1, None, 10),
        (3, "b", 4),
        (4, 5, None),
    ]


def test_a_bad_line_gets_an_error_and_the_others_an_answer() -> None:
    found = Served().stream('"1 and 1"', "{bad", '{"text": "broken 1"}', "[]", '"2 and 2"', "\xff")
    assert [one.get("answer", one.get("error", {}).get("code")) for one in found] == [
        2,
        "invalid",
        "internal",
        "invalid",
        4,
        "invalid",
    ]


def test_a_stream_over_its_limits_ends_with_the_reason() -> None:
    served = Served(stream_items=2, stream_bytes=1000, body_bytes=300)
    assert [
        one.get("answer", one.get("error", {}).get("code")) for one in served.stream(*['"1 and 1"'] * 3)
    ] == [
        2,
        2,
        "too_many_items",
    ]
    assert served.stream('"' + "a" * 400 + '"')[-1]["error"]["code"] == "too_large"
    refused(served.post("/api/parse/stream", b"a" * 2000, LINES), 413, "too_large")


def test_a_stream_that_stalls_is_ended() -> None:
    async def slowly() -> Any:
        yield b'"1 and 1"\n'
        await asyncio.sleep(30)

    served = Served(seconds=1)
    answer = served.run(lambda client: client.post("/api/parse/stream", content=slowly(), headers=LINES))
    first, last = (json.loads(line) for line in answer.text.splitlines())
    assert (first["answer"], last["error"]["code"]) == (2, "out_of_time")


def test_an_answer_leaves_before_the_next_line_arrives() -> None:
    served, sent = Served(), []

    async def main() -> None:
        answered = asyncio.Event()

        async def messages() -> AsyncIterator[dict[str, Any]]:
            yield {"type": "http.request", "body": b'"1 and 1"\n', "more_body": True}
            await asyncio.wait_for(answered.wait(), 5)
            yield {"type": "http.request", "body": b'"2 and 2"', "more_body": False}
            await asyncio.sleep(60)

        async def send(message: dict[str, Any]) -> None:
            if message.get("body"):
                sent.append(message["body"])
                answered.set()

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/parse/stream",
            "query_string": b"",
            "headers": [(b"content-type", b"application/x-ndjson")],
        }
        await asyncio.wait_for(served.app(dict(scope), messages().__anext__, send), 10)

    asyncio.run(main())
    assert [json.loads(line)["answer"] for line in sent] == [2, 4]


# ------------------------------------------------------------------------------------------------ limits


def test_too_many_words_are_refused_before_parsing() -> None:
    served = Served(words=10)
    assert "11 words" in refused(served.post("/api/parse", {"text": "a " * 11}), 422, "too_many_words")
    assert "characters" in refused(served.post("/api/parse", {"text": "a" * 5000}), 422, "too_many_words")
    refused(served.post("/api/parse", {"text": ["a", "a, " * 6]}), 422, "too_many_words")
    assert served.parser.texts == []


def test_too_many_texts_are_refused() -> None:
    served = Served(items=2)
    refused(served.post("/api/parse", {"text": ["1"] * 3}), 422, "too_many_items")
    refused(served.post("/api/parse", {"text": []}), 422, "too_many_items")


def test_a_large_body_is_refused_with_or_without_its_length() -> None:
    served = Served(body_bytes=1000)

    async def unannounced() -> Any:
        for _ in range(10):
            yield b" " * 500

    refused(served.post("/api/parse", b" " * 1001), 413, "too_large")
    answer = served.run(lambda client: client.post("/api/parse", content=unannounced(), headers=JSON))
    refused(answer, 413, "too_large")


def test_a_slow_parse_runs_out_of_time_and_a_slow_body_too() -> None:
    served = Served(seconds=1)

    async def slowly() -> Any:
        yield b"{"
        await asyncio.sleep(30)

    started = time.monotonic()
    refused(served.post("/api/parse", {"text": "sleep"}), 503, "out_of_time")
    answer = served.run(lambda client: client.post("/api/parse", content=slowly(), headers=JSON))
    refused(answer, 503, "out_of_time")
    assert time.monotonic() - started < 6
    served.parser.release.set()


def test_health_answers_while_parses_run_and_more_requests_are_refused() -> None:
    served = Served(in_flight=2)

    async def use(client: Any) -> tuple[Any, Any, list[Any]]:
        parse = lambda: client.post("/api/parse", json={"text": "sleep 1 2"})  # noqa: E731
        tasks = [asyncio.create_task(parse()) for _ in range(2)]
        while len(served.parser.texts) < 2:
            await asyncio.sleep(0.01)
        health, third = await client.get("/health"), await parse()
        served.parser.release.set()
        return health, third, await asyncio.gather(*tasks)

    health, third, others = served.run(use)
    assert health.json()["in_flight"] == 2
    refused(third, 429, "too_busy")
    assert third.headers["retry-after"] == "1"
    assert [one.status_code for one in others] == [200, 200]
    assert served.get("/health").json()["in_flight"] == 0


@pytest.mark.parametrize("path", ["/api/parse", "/api/parse/stream"])
def test_work_for_a_client_that_left_is_not_begun(path: str) -> None:
    served = Served()

    async def main() -> None:
        async def messages() -> AsyncIterator[dict[str, Any]]:
            lines = b'{"text": "sleep 1 2"}'
            body = lines if path == "/api/parse" else b"\n".join([lines] * 50)
            yield {"type": "http.request", "body": body, "more_body": False}
            while len(served.parser.texts) < 2:
                await asyncio.sleep(0.01)
            yield {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            pass

        headers = [(b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
        count = 1 if path.endswith("stream") else 10
        calls = (served.app(dict(scope), messages().__anext__, send) for _ in range(count))
        await asyncio.wait_for(asyncio.gather(*calls), 5)

    asyncio.run(main())
    served.parser.release.set()
    # Two threads, so two were at work; at most one more began while the news of the leaving spread.
    assert len(served.parser.texts) <= 3
    assert served.get("/health").json()["in_flight"] == 0


def test_parses_at_the_same_time_are_those_one_after_the_other() -> None:
    parser = load()
    texts = [f"Tom has {n} boxes with {n + 2} pens each. How many pens does he have?" for n in range(2, 12)]
    app = create_app(Settings(threads=4), {"small": lambda: parser})

    async def main() -> list[Any]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await asyncio.gather(*(client.post("/api/parse", json={"text": text}) for text in texts))

    found = [answer.json() for answer in asyncio.run(main())]
    assert found == [json.loads(json.dumps(parser.parse(text).to_dict())) for text in texts]


def test_a_refusal_of_the_library_says_why(served: Served) -> None:
    assert "there is no number 4" in refused(
        served.post("/api/parse", {"text": "1 and 2", "use": [4]}), 422, "unreadable"
    )


def test_settings_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="seconds must be at least 1, not 0"):
        Settings(seconds=0)


# ------------------------------------------------------------------------------------------------ bad bodies

HOSTILE = {
    "empty": b"",
    "broken JSON": b'{"text": ',
    "broken UTF-8": b'{"text": "\xff\xfe"}',
    "lone surrogate": b'{"text": "\\ud800"}',
    "deep list": b"[" * 100_000,
    "deep object": b'{"text":' * 20_000,
    "huge integer": b'{"text": "a", "top": ' + b"9" * 100_000 + b"}",
    "huge exponent": b'{"text": "a", "min_probability": 1e999999}',
    "not a number": b'{"text": "a", "min_probability": NaN}',
    "wrong type": b'{"text": 5}',
    "unknown field": b'{"text": "a", "<script>": 1}',
    "many unknown fields": json.dumps({"text": "a"} | {f"k{i}": i for i in range(9000)}).encode(),
    "many wrong items": json.dumps({"text": [0] * 50_000}).encode(),
    "negative index": b'{"text": "1 2", "use": [-1]}',
    "a list": b"[]",
    "a null": b"null",
    "UTF-16": '{"text": "a"}'.encode("utf-16"),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_bad_body_gets_a_short_reason(served: Served, body: bytes) -> None:
    answer = served.post("/api/parse", body)
    assert refused(answer, 422, "invalid")
    assert len(answer.content) < 2000


STRANGE = [
    "\0",
    "",
    "   \n",
    "<script>alert(1)</script> 3 and 4",
    "{{7*7}} ${8}",
    "مرحبا 3 و ٤",
    "👩‍👩‍👧 has 2 🍎",
    "\u202e3 and 4",
    "1e999 and 2",
    "9" * 900 + " and 1",
    "1/0 and 2",
    "\x1b[31m 5",
    "﷽" * 50,
]


@pytest.mark.parametrize("text", STRANGE)
def test_a_strange_text_is_only_a_text(served: Served, text: str) -> None:
    answer = served.post("/api/parse", {"text": text})
    assert answer.status_code == 200
    assert answer.json()["text"] == text


def test_another_content_type_is_refused(served: Served) -> None:
    message = refused(
        served.post("/api/parse", {"text": "1"}, {"content-type": "text/plain"}), 415, "wrong_type"
    )
    assert "application/json" in message


@pytest.mark.parametrize("path", ["/api/parse", "/api/parse/stream", "/api/render", "/api/explain"])
def test_a_request_without_a_content_type_is_refused(served: Served, path: str) -> None:
    """A foreign page may send a body without one (a Blob without a type) and without asking."""
    refused(served.post(path, {"text": "1 and 2"}, {}), 415, "wrong_type")
    assert served.parser.texts == []


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "localhost:80@evil.example",
        "[::1]x",
        "a b",
        "",
    ],
)
def test_another_host_is_refused(served: Served, host: str) -> None:
    """A foreign page may point a name of its own to this machine (DNS rebinding)."""
    refused(served.get("/", headers={"host": host}), 421, "wrong_host")
    assert "--allow-host" in refused(
        served.post("/api/parse", {"text": "1 and 2"}, JSON | {"host": host}), 421, "wrong_host"
    )
    assert served.parser.texts == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:80", "[::1]:8000", "192.0.2.7"])
def test_localhost_and_plain_addresses_are_let_in(served: Served, host: str) -> None:
    assert served.get("/health", headers={"host": host}).status_code == 200


def test_other_hosts_can_be_allowed() -> None:
    host = {"host": "Math.example:8000"}
    assert Served(hosts=("math.example",)).get("/health", headers=host).status_code == 200
    assert Served(hosts=("*",)).get("/health", headers=host).status_code == 200


def test_unfinished_bodies_keep_nobody_out() -> None:
    served = Served(in_flight=2)

    async def use(client: Any) -> Any:
        more = asyncio.Event()

        async def slowly() -> Any:
            yield b'{"text": '
            await more.wait()
            yield b'"1 and 1"}'

        tasks = [
            asyncio.create_task(client.post("/api/parse", content=slowly(), headers=JSON)) for _ in range(10)
        ]
        await asyncio.sleep(0.1)
        answer = await client.post("/api/parse", json={"text": "2 and 2"})
        more.set()
        return answer, await asyncio.gather(*tasks)

    answer, others = served.run(use)
    assert answer.json()["answer"] == 4
    assert {one.status_code for one in others} <= {200, 429}
    assert served.get("/health").json()["in_flight"] == 0


def test_streams_keep_no_request_out_and_have_a_limit_of_their_own() -> None:
    served = Served(in_flight=1, streams=2)

    async def use(client: Any) -> Any:
        more = asyncio.Event()

        async def slowly() -> Any:
            yield b'"1 and 1"\n'
            await more.wait()

        stream = lambda: client.post("/api/parse/stream", content=slowly(), headers=LINES)  # noqa: E731
        tasks = [asyncio.create_task(stream()) for _ in range(2)]
        await asyncio.sleep(0.1)
        third, answer = await stream(), await client.post("/api/parse", json={"text": "2 and 2"})
        more.set()
        return third, answer, await asyncio.gather(*tasks)

    third, answer, others = served.run(use)
    refused(third, 429, "too_busy")
    assert third.headers["retry-after"] == "1"
    assert answer.json()["answer"] == 4
    assert [one.status_code for one in others] == [200, 200]


def test_a_stream_ends_with_a_line_that_says_the_server_stops() -> None:
    served = Served()

    async def use(client: Any) -> Any:
        async def without_end() -> Any:
            yield b'"1 and 1"\n'
            await asyncio.sleep(60)

        answer = asyncio.create_task(client.post("/api/parse/stream", content=without_end(), headers=LINES))
        while not served.parser.texts:
            await asyncio.sleep(0.01)
        served.app.state.stopping.begin()
        return await answer

    first, last = (json.loads(line) for line in served.run(use).text.splitlines())
    assert (first["answer"], last["error"]["code"], last["error"]["status"]) == (2, "stopping", 503)


def test_a_fault_of_ours_is_an_error_without_details(served: Served) -> None:
    answer = served.post("/api/parse", {"text": "broken 1 and 2"})
    assert "secret" not in refused(answer, 500, "internal")


def test_unknown_paths_and_methods_are_refused_as_json(served: Served) -> None:
    refused(served.get("/no/such"), 404, "not_found")
    refused(served.get("/api/parse"), 405, "method_not_allowed")
    refused(served.get("/static/../app.py"), 404, "not_found")


# ------------------------------------------------------------------------------------------------ around it


def test_every_answer_carries_the_security_headers(served: Served) -> None:
    for answer in (served.get("/"), served.get("/nowhere"), served.post("/api/parse", b"{")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"


def test_no_other_site_may_call_unless_asked() -> None:
    origin = {"origin": "https://example.org"}
    assert "access-control-allow-origin" not in Served().get("/health", headers=origin).headers
    allowed = Served(cors=("https://example.org",)).get("/health", headers=origin)
    assert allowed.headers["access-control-allow-origin"] == "https://example.org"


def test_the_page_needs_nothing_from_elsewhere(served: Served) -> None:
    page = served.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script>" not in page.text
    assert " style=" not in page.text
    assert "https://" not in page.text
    assert "//" not in page.text.replace("http://www.w3.org", "")


def test_the_page_names_files_that_are_there(served: Served) -> None:
    for path in re.findall(r'(?:src|href)="(/[^"]*)"', served.get("/").text):
        assert served.get(path).status_code == 200, path


def test_the_page_has_the_colours_of_the_pictures(served: Served) -> None:
    style = served.get("/static/style.css").text
    light, dark = PALETTES["light"], PALETTES["dark"]
    for at, colours in enumerate(zip(light.nodes, dark.nodes, strict=True)):
        assert f"--node-{at}: light-dark({', '.join(colours)});" in style


def test_a_browser_that_has_the_page_gets_no_second_copy(served: Served) -> None:
    tag = served.get("/").headers["etag"]
    again = served.get("/", headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("log_texts", [False, True])
def test_texts_are_in_the_log_only_if_asked(caplog: pytest.LogCaptureFixture, log_texts: bool) -> None:
    served = Served(log_texts=log_texts)
    with caplog.at_level(logging.INFO, logger="text2math.server"):
        served.post("/api/parse?secret=1", {"text": "my secret has 2 and 3"})
        served.post("/api/parse", {"text": "broken secret 2 and 3"})
        served.post("/api/parse", {"secret": 2})
        served.get("/secret%0AINFO forged")
    lines = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("POST /api/parse 200") for line in lines)
    assert not any("\n" in line for line in lines)
    without_paths = "\n".join(line for line in caplog.text.splitlines() if "GET" not in line)
    assert ("secret" in without_paths) is log_texts


def test_the_description_names_every_endpoint_with_an_example(served: Served) -> None:
    described = served.get("/openapi.json").json()
    assert set(described["paths"]) >= {"/api/parse", "/api/parse/stream", "/api/models", "/health"}
    body = described["paths"]["/api/parse"]["post"]["requestBody"]["content"]["application/json"]
    for example in body["examples"].values():
        assert served.post("/api/parse", example["value"]).status_code == 200
    assert {"413", "422", "429", "503"} <= set(described["paths"]["/api/parse"]["post"]["responses"])


def test_models_warm_up_behind_a_server_that_already_answers() -> None:
    gate = threading.Event()

    def slow() -> FakeParser:
        gate.wait(10)
        return FakeParser()

    app = create_app(Settings(), {"slow": slow})

    async def main() -> tuple[str, str]:
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as c,
        ):
            before = (await c.get("/health")).json()["status"]
            gate.set()
            for _ in range(200):
                after = (await c.get("/health")).json()["status"]
                if after == "ok":
                    break
                await asyncio.sleep(0.02)
            return before, after

    assert asyncio.run(main()) == ("starting", "ok")


def test_who_asks_while_the_server_warms_up_waits_longer_than_its_time_limit() -> None:
    gate = threading.Event()

    def slow() -> FakeParser:
        gate.wait(10)
        return FakeParser()

    app = create_app(Settings(seconds=1), {"slow": slow})

    async def main() -> int:
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as c,
        ):
            asked = asyncio.create_task(c.post("/api/parse", json={"text": "1 2"}))
            await asyncio.sleep(1.5)
            assert not asked.done()
            gate.set()
            return (await asked).status_code

    assert asyncio.run(main()) == 200


def test_a_model_that_does_not_load_shows_in_health() -> None:
    def missing() -> FakeParser:
        raise ValueError("no such file")

    app = create_app(Settings(), {"missing": missing})

    async def main() -> str:
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as c,
        ):
            for _ in range(200):
                status = (await c.get("/health")).json()["status"]
                if status != "starting":
                    break
                await asyncio.sleep(0.02)
            return status

    assert asyncio.run(main()) == "failed"
