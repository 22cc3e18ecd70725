"""Who does the runs: this process, processes of this machine, Dask, or Ray.

Each executor takes chunks of runs and yields their rows in whatever order they end. A chunk whose
worker died yields none: its runs are tried again alone, so that the one that kills is found.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .._taut import Error
from ..world import _cores
from .runs import work

Chunk = list[tuple[int, dict[str, Any]]]
Row = tuple[dict[str, Any], bool]
Rows = Iterator[list[Row]]
EXECUTORS = ("processes", "serial", "dask", "ray")


def start(
    name: str, workers: int | None, address: str | None
) -> tuple[int, Callable[[bytes, list[Chunk]], Rows]]:
    """The number of workers, and the function that runs chunks on them."""
    if workers is not None and workers < 1:
        raise Error(f"workers = {workers} is out of range: at least 1")
    if name == "serial":
        return 1, serial
    if name == "processes":
        count = workers or _cores()
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
            yield work(payload, [task])


def processes(payload: bytes, chunks: list[Chunk], count: int) -> Rows:
    """On processes of this machine, newly started, so that no thread is forked."""
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(chunks))
    while waiting:
        suspects: list[Chunk] = []
        pool = ProcessPoolExecutor(count, mp_context=context)
        try:
            running: dict[Any, Chunk] = {}
            while waiting or running:
                # A bounded queue: what a dead worker takes along is small.
                while waiting and len(running) < count + 1:
                    chunk = waiting.pop()
                    running[pool.submit(work, payload, chunk)] = chunk
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    chunk = running.pop(future)
                    try:
                        yield future.result()
                    except BrokenProcessPool:
                        suspects.append(chunk)
                if suspects:
                    suspects += running.values()
                    break
        finally:
            pool.shutdown(wait=not suspects, cancel_futures=True)
        for chunk in suspects:
            for task in chunk:
                yield _alone(payload, task, context)


def _failed(chunk: Chunk, why: str) -> list[Row]:
    return [({"run": n, **p, "status": "failed", "error": why}, False) for n, p in chunk]


def _alone(payload: bytes, task: tuple[int, dict[str, Any]], context: Any) -> list[Row]:
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            return pool.submit(work, payload, [task]).result()
        except BrokenProcessPool:
            return _failed([task], "the worker died")


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
                n_workers=workers or _cores(), threads_per_worker=1, dashboard_address=None
            )
            client = Client(cluster)
            own += [client, cluster]
    count = max(1, sum(client.ncores().values()))

    def run(payload: bytes, chunks: list[Chunk]) -> Rows:
        try:
            kept = client.scatter(payload, broadcast=True)
            futures = {client.submit(work, kept, c, pure=False, retries=1): c for c in chunks}
            for future in as_completed(list(futures)):
                if future.status == "finished":
                    yield future.result()
                else:  # a worker died on it, twice
                    yield _failed(futures[future], f"the worker died: {future.exception()!r}")
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
            num_cpus=None if address else (workers or _cores()),
            include_dashboard=None if address else False,
            log_to_driver=False,
        )
    count = max(1, int(ray.cluster_resources().get("CPU", 1)))
    remote = ray.remote(max_retries=1)(work)

    def run(payload: bytes, chunks: list[Chunk]) -> Rows:
        try:
            kept = ray.put(payload)
            futures = {remote.remote(kept, chunk): chunk for chunk in chunks}
            while futures:
                done, _ = ray.wait(list(futures), num_returns=1)
                for future in done:
                    chunk = futures.pop(future)
                    try:
                        yield ray.get(future)
                    except ray.exceptions.RayError as e:
                        yield _failed(chunk, f"the worker died: {type(e).__name__}")
        finally:
            if own:
                ray.shutdown()

    return count, run
