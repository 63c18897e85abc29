"""What one request with the largest pictures takes of a worker's memory, and how long its event loop stands: `python -m
benchmarks.pictures`. The trap: a server in the same process, whose memory would count; both have their own."""

import asyncio
import multiprocessing
import os
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from model_server import ModelServer
from pcs.base.settings import Settings
from pcs.reviewer.configuration import configured_reviewer
from pcs.reviewer.conversation import Request, Said
from pcs.reviewer.model import Api
from pcs.reviewer.pictures import picture_of
from pcs.reviewer.prompts import PICTURES

_PICTURES = 4
_KEEP_PACE = 0.005  # seconds


def _serve(address: Connection, done: Connection) -> None:
    server = ModelServer()
    server.script = lambda _: {"goods": "a T-shirt"}
    address.send(server.address)
    done.recv()


def _measure(api: Api, address: str, found: Connection) -> None:
    found.send(asyncio.run(_asked(api, address)))


async def _asked(api: Api, address: str) -> tuple[float, float]:
    """The megabytes that the process grew by and the longest that its loop stood, in milliseconds."""
    url = f"{address}/v1" if api is Api.OPENAI else address
    settings = Settings(
        reviewer_api=api, reviewer_model="m", reviewer_api_key="k", reviewer_base_url=url, reviewer_pictures=True
    )
    reviewer = configured_reviewer(settings)
    assert reviewer is not None
    request = Request("Who you are", (Said("A question"),), {"type": "object"})
    await reviewer.model.ask(request)
    before = _memory()
    content = b"\xff\xd8\xff" + os.urandom(reviewer.terms.picture_bytes - 3)
    pictures = tuple(filter(None, (picture_of(content) for _ in range(_PICTURES))))
    stood = asyncio.create_task(_longest_pause())
    await asyncio.sleep(0)
    await reviewer.model.ask(request.showing(pictures, PICTURES))
    stood.cancel()
    await reviewer.model.close()
    return _memory() - before, max(_pauses) * 1000


_pauses = [0.0]


async def _longest_pause() -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(_KEEP_PACE)
        now = time.perf_counter()
        _pauses.append(now - last - _KEEP_PACE)
        last = now


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1_000_000


def main() -> None:
    """Measure each format in a process of its own, and print."""
    fresh = multiprocessing.get_context("spawn")
    (address, theirs), (done, ending) = fresh.Pipe(), fresh.Pipe()
    server = fresh.Process(target=_serve, args=(theirs, ending), daemon=True)
    server.start()
    at = address.recv()
    print("| format | memory at most | the loop stood |\n|---|---|---|")
    for api in (Api.OPENAI, Api.ANTHROPIC):
        found, told = fresh.Pipe()
        worker = fresh.Process(target=_measure, args=(api, at, told))
        worker.start()
        megabytes, milliseconds = found.recv()
        worker.join()
        print(f"| {api} | {megabytes:.0f} MB | {milliseconds:.0f} ms |")
    done.send(None)


if __name__ == "__main__":
    main()
