"""Parsing outside the event loop: models that are loaded once, worker threads with a time limit."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from text2math.explanation.explain import explain
from text2math.parse import Parse
from text2math.parser import Parser as TrainedParser
from text2math.server.errors import RefusedError, out_of_time

log = logging.getLogger("text2math.server")

Result = TypeVar("Result")

WARM_UP = "Sam has 2 cats and 3 dogs. How many pets does Sam have?"


class Parser(Protocol):
    """Anything that parses texts."""

    def parse(
        self,
        text: str,
        *,
        top: int = 5,
        use: tuple[int, ...] = (),
        ignore: tuple[int, ...] = (),
        min_probability: float | None = None,
        strict: bool = False,
    ) -> Parse:
        """Parse one text."""


Loader = Callable[[], Parser]


class Models:
    """The parsers by name, each loaded when it is first needed; the first one is the default.

    >>> Models({"small": lambda: None}).name(None)
    'small'
    """

    def __init__(self, loaders: Mapping[str, Loader]) -> None:
        if not loaders:
            raise ValueError("a server needs at least one model")
        self._loaders = dict(loaders)
        self._loaded: dict[str, Parser] = {}
        self._without_knowledge: dict[str, Parser] = {}
        self._locks = {name: threading.Lock() for name in loaders}
        self._state = dict.fromkeys(loaders, "starting")
        self._warming_up = threading.Event()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all models, the default first."""
        return tuple(self._loaders)

    @property
    def state(self) -> dict[str, str]:
        """The state of each model: ``starting``, ``ready`` or ``failed``."""
        return dict(self._state)

    def name(self, wanted: str | None) -> str:
        """The model to use; an unknown name is refused with a list of the models."""
        if wanted is None:
            return next(iter(self._loaders))
        if wanted not in self._loaders:
            raise RefusedError(
                422, "unknown_model", f"there is no such model; there are: {', '.join(self.names)}"
            )
        return wanted

    @property
    def warming_up(self) -> bool:
        """Whether code is still being compiled, so that answers take longer."""
        return self._warming_up.is_set()

    def get(self, name: str, *, knowledge: bool = True) -> Parser:
        """The parser, loaded when it is first needed; without ``knowledge``, it uses written numbers only."""
        with self._locks[name]:
            if name not in self._loaded:
                self._loaded[name] = parser = self._loaders[name]()
                self._without_knowledge[name] = (
                    parser.with_knowledge(False) if isinstance(parser, TrainedParser) else parser
                )
            return self._loaded[name] if knowledge else self._without_knowledge[name]

    def uses_knowledge(self, name: str) -> bool:
        """Whether a model is loaded and uses numbers that words imply."""
        parser = self._loaded.get(name)
        return isinstance(parser, TrainedParser) and parser.uses_knowledge

    def about(self, name: str) -> dict[str, Any]:
        """The card of a model; empty until it is loaded."""
        return dict(getattr(self._loaded.get(name), "card", {}))

    def warm_up(self) -> None:
        """Load every model and parse once with it, so that the first visitor does not wait."""
        self._warming_up.set()
        for name in self.names:
            try:
                started = time.perf_counter()
                self.get(name).parse(WARM_UP)
            except Exception:
                self._state[name] = "failed"
                log.exception("model %s does not load", name)
            else:
                self._state[name] = "ready"
                log.info("model %s is ready after %.1f s", name, time.perf_counter() - started)
        try:
            self._warm_explanations()
        finally:
            self._warming_up.clear()

    def _warm_explanations(self) -> None:
        """Explain a text once, because that compiles code which parsing does not need."""
        for parser in list(self._loaded.values()):
            if isinstance(parser, TrainedParser):
                explain(parser, WARM_UP)
                return


class Workers:
    """The threads that parse. A running parse can't be stopped, so texts are limited before it starts."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.start()

    def start(self) -> None:
        """Start the threads; an application may be stopped and started again."""
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="parse")

    async def run(self, job: Callable[[], Result], seconds: float) -> Result:
        """The result of a job; a job that is still in the queue when the time is up never starts."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.get_running_loop().run_in_executor(self._pool, job)
        except TimeoutError:
            raise out_of_time(seconds) from None

    def stop(self) -> None:
        """Finish running jobs, and start no more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
