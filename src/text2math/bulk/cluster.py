"""Many machines, with Dask: partitions of a corpus, data frames, and independent calls.

The workers need text2math, the model under the same name or path, and the same folders as this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from text2math.bulk.arrow import ArrowParser, output_name
from text2math.bulk.partitions import Engine, Job, PartReport, parse_partition
from text2math.bulk.readers import Partition
from text2math.language.knowledge import Knowledge
from text2math.parallel import Runner, WorkerError, available_cores, run_parallel
from text2math.parser import DEFAULT_MODEL

Result = TypeVar("Result")
RETRIES = 3  # times that a task is tried elsewhere when its worker dies
AHEAD = 4  # tasks that wait at each worker, so that none is idle and the scheduler's memory stays constant
SECONDS_TO_CONNECT = 10
MAX_WORKERS = 1024
LOCAL = "local"


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A Dask client for ``tcp://host:8786``, or ``local:4`` for that many processes of this machine."""
    distributed = _distributed()
    if address == LOCAL or address.startswith(f"{LOCAL}:"):
        # A thread each: the model is busy all the time, and numba, BLAS and the network have one too.
        cluster = distributed.LocalCluster(
            n_workers=_local_workers(address),
            threads_per_worker=1,
            processes=True,
            scheduler_kwargs={"dashboard": False},
        )
        with cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(
            f"--cluster {address}: no Dask scheduler answers there ({error}); "
            "start one with: dask scheduler (or use local:4)"
        ) from error
    with client:
        yield client


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ValueError("--cluster needs Dask: pip install 'text2math[dask]'") from None
    return distributed


def _local_workers(address: str) -> int:
    """How many processes ``local`` or ``local:4`` asks for."""
    count = address.partition(":")[2] or str(available_cores())
    if not count.isascii() or not count.isdigit() or not 1 <= int(count) <= MAX_WORKERS:
        raise ValueError(f"--cluster {address}: give a number of processes after local:, such as local:4")
    return int(count)


def parse_on(client: Any) -> Engine:
    """An engine that processes partitions on a cluster."""

    def run(job: Job, partitions: Sequence[Partition]) -> Iterator[PartReport]:
        calls = [(job, partition) for partition in partitions]
        for index, report, error in _completed(client, parse_partition, calls):
            yield PartReport(partitions[index], error=error) if report is None else report

    return run


def run_on(client: Any) -> Runner:
    """What ``text2math.parallel.run_parallel`` does, on a cluster: same arguments, same results."""

    def run(
        function: Callable[..., Result],
        calls: Sequence[tuple[Any, ...]],
        *,
        workers: int,
        on_start: Callable[[int], None] = lambda index: None,
    ) -> Generator[tuple[int, Result], None, None]:
        for index, found, error in _completed(client, function, calls, on_start):
            if error:
                raise WorkerError(error)
            yield index, found

    return run


@contextmanager
def runner(address: str | None) -> Iterator[Runner]:
    """What runs calls: the named cluster, or processes on this machine."""
    if address is None:
        yield run_parallel
        return
    with connected(address) as client:
        yield run_on(client)


def _completed(
    client: Any,
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    on_start: Callable[[int], None] = lambda index: None,
) -> Iterator[tuple[int, Any, str]]:
    """The index of each call with its result or error, as they complete."""
    distributed = _distributed()
    todo = iter(enumerate(calls))
    indices: dict[str, int] = {}

    def submit(count: int) -> Iterable[Any]:
        for index, arguments in islice(todo, count):
            on_start(index)
            future = client.submit(function, *arguments, pure=False, retries=RETRIES)
            indices[future.key] = index
            yield future

    begun = list(submit(AHEAD * max(1, len(client.nthreads()))))
    completed = distributed.as_completed(begun)
    begun.clear()
    for future in completed:
        index = indices.pop(future.key)
        error = future.exception()
        found = None if error is not None else future.result()
        future.release()
        for more in submit(1):
            completed.add(more)
        yield index, found, "" if error is None else f"{type(error).__name__}: {error}"


def parse_dataframe(
    frame: Any,
    *,
    text: str = "text",
    model: str = DEFAULT_MODEL,
    top: int = 1,
    min_probability: float | None = None,
    strict: bool = False,
    knowledge: bool | Knowledge = True,
) -> Any:
    """A Dask data frame of texts with the columns of ``ArrowParser`` added; nothing is computed yet."""
    work = ArrowParser(model, text, top, min_probability, strict, knowledge)
    return frame.map_partitions(_parse_frame, work, meta=_parse_frame(frame._meta, work))


def _parse_frame(frame: Any, work: ArrowParser) -> Any:
    """A pandas data frame with our columns added, as Arrow types; its own columns and index stay."""
    import pandas
    import pyarrow

    work.require_text(list(map(str, frame.columns)))
    texts = pyarrow.table({work.text: pyarrow.array(frame[work.text], pyarrow.string(), from_pandas=True)})
    found = work(texts).drop_columns([output_name(work.text)])
    ours = found.to_pandas(types_mapper=pandas.ArrowDtype).set_index(frame.index)
    return pandas.concat([frame.rename(columns=output_name), ours], axis=1)
