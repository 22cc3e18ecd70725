"""Who does the runs: this process, processes of this machine, Dask, or Ray.

Each executor takes chunks of runs and yields their rows in whatever order they end. A worker that dies
takes nothing along but the run that it was in: that is tried again alone, so that one that kills is
found; the others of its chunk that are not in the journal are done after it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .._taut import Error
from ..batches import cores
from .journal import Journal
from .runs import Job, Row, Task, work

Chunk = list[Task]
Rows = Generator[Row, None, None]
EXECUTORS = ("processes", "serial", "dask", "ray")


def start(
    name: str, workers: int | None, address: str | None
) -> tuple[int, Callable[[bytes, list[Chunk]], Rows]]:
    """The number of workers, and the function that runs chunks on them."""
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise Error(f"workers = {workers!r} is out of range: at least 1")
    if name == "serial":
        return 1, serial
    if name == "processes":
        count = workers or cores()
        return count, lambda payload, chunks: processes(payload, chunks, count)
    if name == "dask":
        return _dask(workers, address)
    if name == "ray":
        return _ray(workers, address)
    raise Error(f"executor '{name}' is not known: {', '.join(EXECUTORS)}")


def serial(payload: bytes, chunks: list[Chunk]) -> Rows:
    """In this process."""
    for chunk in chunks:
        for task in chunk:
            yield from work(payload, [task])


def processes(payload: bytes, chunks: list[Chunk], count: int) -> Rows:
    """On processes of this machine, newly started, so that no thread is forked."""
    job: Job = pickle.loads(payload)
    journal = Journal(job.journal)
    waiting = list(reversed(chunks))
    while waiting:
        cut_off: list[Chunk] = []
        with _pool(count) as pool:
            running: dict[Any, Chunk] = {}
            while (waiting or running) and not cut_off:
                # A bounded queue: what a dead worker takes along is small.
                while waiting and len(running) < count + 1:
                    chunk = waiting.pop()
                    running[pool.submit(work, payload, chunk)] = chunk
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    chunk = running.pop(future)
                    try:
                        yield from future.result()
                    except BrokenProcessPool:
                        cut_off.append(chunk)
            if cut_off:
                cut_off += running.values()
        for chunk in cut_off:
            # What was noted is done; the first that was not is what the worker was in, perhaps.
            done_before = journal.done()
            left = [task for task in chunk if task[0] not in done_before]
            if left:
                yield from _alone(payload, left[0])
            if left[1:]:
                waiting.append(left[1:])


@contextlib.contextmanager
def _pool(count: int) -> Generator[ProcessPoolExecutor, None, None]:
    """Processes that end with this one, however it ends, and at once on Ctrl-C."""
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, _follow, (reader,))
    try:
        yield pool
        pool.shutdown()
    finally:
        writer.close()
        reader.close()
        pool.shutdown(cancel_futures=True)


def _follow(reader: Any) -> None:
    """In a worker: Ctrl-C is for the process that started it, with which it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end() -> None:
        with contextlib.suppress(EOFError, OSError):
            reader.recv()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _failed(task: Task, why: str) -> Row:
    number, parameters = task
    return {"run": number, **parameters, "status": "failed", "error": why}, False


def _alone(payload: bytes, task: Task) -> list[Row]:
    with _pool(1) as pool:
        try:
            return pool.submit(work, payload, [task]).result()
        except BrokenProcessPool:
            return [_failed(task, "the worker died")]


def _dask(workers: int | None, address: str | None) -> tuple[int, Any]:
    from distributed import Client, LocalCluster, as_completed, get_client

    own: list[Any] = []
    if address:
        client = Client(address)
        own.append(client)
    else:
        try:
            client = get_client()
        except ValueError:
            cluster = LocalCluster(
                n_workers=workers or cores(), threads_per_worker=1, dashboard_address=None
            )
            client = Client(cluster)
            own += [client, cluster]
    count = max(1, sum(client.ncores().values()))

    def run(payload: bytes, chunks: list[Chunk]) -> Rows:
        try:
            kept = client.scatter(payload, broadcast=True)
            running: dict[Any, Chunk] = {}

            def submit(chunk: Chunk) -> Any:
                future = client.submit(work, kept, chunk, pure=False)
                running[future] = chunk
                return future

            ended = as_completed([submit(chunk) for chunk in chunks])
            for future in ended:
                chunk = running.pop(future)
                if future.status == "finished":
                    yield from future.result()
                elif len(chunk) > 1:  # workers died on it
                    for task in chunk:
                        ended.add(submit([task]))
                else:
                    yield _failed(chunk[0], f"the worker died: {type(future.exception()).__name__}")
        finally:
            for closing in own:
                closing.close()

    return count, run


def _ray(workers: int | None, address: str | None) -> tuple[int, Any]:
    import ray

    own = not ray.is_initialized()
    if own:
        ray.init(
            address=address,
            num_cpus=None if address else (workers or cores()),
            include_dashboard=None if address else False,
            log_to_driver=False,
        )
    count = max(1, int(ray.cluster_resources().get("CPU", 1)))
    remote = ray.remote(max_retries=1)(work)

    def run(payload: bytes, chunks: list[Chunk]) -> Rows:
        try:
            kept = ray.put(payload)
            running = {remote.remote(kept, chunk): chunk for chunk in chunks}
            while running:
                for future in ray.wait(list(running), num_returns=1)[0]:
                    chunk = running.pop(future)
                    try:
                        yield from ray.get(future)
                    except ray.exceptions.RayError as e:
                        if len(chunk) > 1:
                            running.update({remote.remote(kept, [task]): [task] for task in chunk})
                        else:
                            yield _failed(chunk[0], f"the worker died: {type(e).__name__}")
        finally:
            if own:
                ray.shutdown()

    return count, run
