"""The kinds of jobs there are, for those who say what has a job; `queue.py` has the jobs. The trap: a model that loads
the whole queue, database and all, to name a task; a command that classifies a file then starts twice as slowly."""

from __future__ import annotations

from dataclasses import dataclass

ANALYSIS = "analysis"
SIMULATION = "simulation"
DELIVERY = "delivery"
QUEUES = (ANALYSIS, SIMULATION, DELIVERY)


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of job: the name that workers know, and the queue it waits in."""

    name: str
    queue: str
