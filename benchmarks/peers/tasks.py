"""The peer's Celery tasks: classify one, tell its batch's receiver when all are done."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx2
from celery import Celery
from celery.signals import worker_process_init
from sqlalchemy import func, select

from benchmarks.peers.model import Classification, Product, Session, engine
from pcs.engine.classify import classify as analyse
from pcs.engine.product import Product as Goods
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName

app = Celery("peer", broker=os.environ["PEER_REDIS_URL"])
app.conf.update(task_acks_late=True, worker_prefetch_multiplier=4, broker_connection_retry_on_startup=True)
_methods = Methods(Library(Path(os.environ["PCS_DATA_DIR"])))


@worker_process_init.connect  # type: ignore[untyped-decorator]
def open_schedules(**_: object) -> None:
    """Open what an analysis needs before the first comes, and no connection that a fork has copied."""
    engine.dispose(close=False)
    for name in ScheduleName:
        _methods.current(name)


@app.task  # type: ignore[untyped-decorator]
def classify(classification_id: str) -> None:
    """Analyse one and store its result; queue the batch's webhook after the last."""
    with Session() as session:
        row = session.get_one(Classification, classification_id)
        product = session.get_one(Product, row.product_id)
        row.status = "processing"
        session.commit()
        schedule = ScheduleName(row.schedule)
        found = analyse(
            Goods(product.name, product.description or "", product.country_of_origin), _methods.current(schedule)
        )
        row.status = "completed"
        row.result = _plain(asdict(found))
        row.completed_at = dt.datetime.now(dt.UTC)
        session.commit()
        if row.batch_id is None:
            return
        open_ones = select(func.count()).where(
            Classification.batch_id == row.batch_id, Classification.status.in_(("pending", "processing"))
        )
        if session.execute(open_ones).scalar_one() == 0 and row.webhook_url:
            deliver.delay(row.webhook_url, {"event": "batch.completed", "data": {"batch_id": row.batch_id}})


@app.task(autoretry_for=(httpx2.HTTPError,), retry_backoff=True)  # type: ignore[untyped-decorator]
def deliver(url: str, body: dict[str, Any]) -> None:
    """Send a webhook."""
    httpx2.post(url, json=body, timeout=10).raise_for_status()


def _plain(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
