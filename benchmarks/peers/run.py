"""Starts the peer beside an installation: its API, Redis, and on demand its workers, on the same PostgreSQL server."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg

from benchmarks.installation import Installation, Process, free_port, until_answers

_KEY = "a key of the peer"


@dataclass
class Peer:
    """The peer's processes."""

    inst: Installation
    api: Process
    redis: Process
    environ: dict[str, str]

    @property
    def headers(self) -> dict[str, str]:
        """What its requests carry."""
        return {"Authorization": f"Bearer {_KEY}"}

    def work(self, concurrency: int) -> Process:
        """Start its workers."""
        command = ("-m", "celery", "-A", "benchmarks.peers.tasks", "worker", "-c", str(concurrency), "-l", "warning")
        return self.inst.spawn(*command, **self.environ)


@contextlib.contextmanager
def peer(inst: Installation) -> Iterator[Peer]:
    """The peer without workers; all of it is gone afterwards."""
    with psycopg.connect(inst.settings.database_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE peer")
    port = free_port()
    environ = {
        "PEER_DATABASE_URL": inst.settings.database_url.replace("@/pcs?", "@/peer?"),
        "PEER_REDIS_URL": f"redis://127.0.0.1:{port}/0",
    }
    folder = inst.settings.data_dir / "redis"
    folder.mkdir()
    server = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--loglevel", "warning"]
    redis = Process(subprocess.Popen(server, stdout=subprocess.DEVNULL))
    setup = inst.spawn("-m", "benchmarks.peers.setup", hashlib.sha256(_KEY.encode()).hexdigest(), **environ)
    assert setup.child.wait(60) == 0, inst.log.read_text(encoding="utf-8")[-2000:]
    api = inst.spawn("-m", "benchmarks.peers.api", str(port := free_port()), **environ)
    api.url = f"http://127.0.0.1:{port}"
    try:
        until_answers(f"{api.url}/health", inst.log)
        yield Peer(inst, api, redis, environ)
    finally:
        inst.stop(api)
        redis.child.terminate()
        redis.child.wait(10)
