"""The peer's FastAPI app: validate, check the key, count in Redis, store, commit, enqueue. A script with a port."""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
from typing import Annotated, Literal

import redis
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, Field

from benchmarks.peers.model import Classification, Key, Product, Session
from benchmarks.peers.tasks import classify as classify_task

app = FastAPI(telemetry={"tracing": False, "metrics": False, "logs": False})
counts = redis.Redis.from_url(os.environ["PEER_REDIS_URL"])


class ProductInput(BaseModel):
    """A product as submitted."""

    name: str = Field(min_length=1, max_length=500)
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None


class Submitted(BaseModel):
    """A product and its schedules."""

    product: ProductInput
    schedules: list[Literal["US-HTS", "EU-CN"]]


class Bulk(BaseModel):
    """Products, schedules, and whom to tell."""

    products: list[ProductInput] = Field(max_length=100)
    schedules: list[Literal["US-HTS", "EU-CN"]]
    webhook_url: str


class Stub(BaseModel):
    """A classification as accepted."""

    id: str
    status: str
    schedule: str


class Accepted(BaseModel):
    """What was accepted."""

    product_id: str | None = None
    batch_id: str | None = None
    classifications: list[Stub]


def caller(authorization: Annotated[str, Header()]) -> str:
    """The organization of the key, its request counted."""
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).hexdigest()
    with Session() as session:
        key = session.get(Key, digest)
    if key is None:
        raise HTTPException(401)
    with counts.pipeline() as pipe:
        pipe.incr(f"rate:{digest}")
        pipe.expire(f"rate:{digest}", 60, nx=True)
        used = pipe.execute()[0]
    if used > 1_000_000_000:
        raise HTTPException(429)
    return key.organization


def store(
    organization: str,
    products: list[ProductInput],
    schedules: list[str],
    batch: str | None = None,
    url: str | None = None,
) -> list[Classification]:
    """Store, commit, then enqueue."""
    with Session() as session:
        rows = [Product(id=str(uuid.uuid4()), organization=organization, **one.model_dump()) for one in products]
        session.add_all(rows)
        session.flush()
        made = [
            Classification(organization=organization, product_id=row.id, schedule=one, batch_id=batch, webhook_url=url)
            for row in rows
            for one in schedules
        ]
        session.add_all(made)
        session.commit()
    for one in made:
        classify_task.delay(one.id)
    return made


@app.post("/classify", status_code=202)
def classify(body: Submitted, organization: Annotated[str, Depends(caller)]) -> Accepted:
    """Accept a product."""
    made = store(organization, [body.product], list(body.schedules))
    stubs = [Stub(id=one.id, status=one.status, schedule=one.schedule) for one in made]
    return Accepted(product_id=made[0].product_id, classifications=stubs)


@app.post("/bulk", status_code=202)
def bulk(body: Bulk, organization: Annotated[str, Depends(caller)]) -> Accepted:
    """Accept a batch."""
    batch = str(uuid.uuid4())
    made = store(organization, body.products, list(body.schedules), batch, body.webhook_url)
    stubs = [Stub(id=one.id, status=one.status, schedule=one.schedule) for one in made]
    return Accepted(batch_id=batch, classifications=stubs)


@app.get("/health")
async def health() -> dict[str, str]:
    """Alive."""
    return {"status": "ok"}


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False, loop="uvloop", http="httptools")
