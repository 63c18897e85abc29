"""Bare FastAPI routes: one that only validates and answers, one with a single SELECT. Run as a script with a port."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import AsyncIterator

import uvicorn
from fastapi import FastAPI
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel
from starlette.responses import Response

from pcs.base.database import conninfo

pool = AsyncConnectionPool(
    conninfo(os.environ["PCS_DATABASE_URL"]), min_size=10, max_size=20, open=False, kwargs={"autocommit": True}
)

_SELECT = """
    SELECT jsonb_build_object('id', id, 'status', status, 'schedule', schedule, 'product_id', product_id,
        'created_at', created_at, 'completed_at', completed_at, 'product', jsonb_build_object('name', product_name,
        'description', product_description, 'identifier', product_identifier), 'result', result)::text
    FROM classifications WHERE id = %s
"""


@contextlib.asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Open the pool while the app runs."""
    async with pool:
        yield


app = FastAPI(lifespan=lifespan, telemetry={"tracing": False, "metrics": False, "logs": False})


class Product(BaseModel):
    """A product."""

    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None


class Submitted(BaseModel):
    """A product and its schedules."""

    product: Product
    schedules: list[str]


@app.post("/classify", status_code=202)
async def classify(body: Submitted) -> Response:
    """Validate, and say so."""
    return Response(body.model_dump_json(), 202, media_type="application/json")


@app.get("/classifications/{classification_id}")
async def read(classification_id: str) -> Response:
    """One SELECT, whose text is the answer."""
    async with pool.connection() as connection:
        cursor = await connection.execute(_SELECT, [classification_id])
        row = await cursor.fetchone()
    assert row is not None
    return Response(row[0], media_type="application/json")


@app.get("/health")
async def health() -> Response:
    """Alive."""
    return Response()


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False, loop="uvloop", http="httptools")
