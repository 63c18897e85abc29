"""The peer's tables. The trap: a peer that is made slow; these have the indexes that its queries need and no more."""

from __future__ import annotations

import datetime as dt
import os
import uuid
from typing import Any

from sqlalchemy import ForeignKey, create_engine
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

from pcs.base.database import parse_url


class Base(DeclarativeBase):
    """The peer's metadata."""


def _uuid() -> str:
    return str(uuid.uuid4())


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Key(Base):
    """An API key."""

    __tablename__ = "keys"
    digest: Mapped[str] = mapped_column(primary_key=True)
    organization: Mapped[str]


class Product(Base):
    """A product."""

    __tablename__ = "products"
    id: Mapped[str] = mapped_column(primary_key=True, default=_uuid)
    organization: Mapped[str] = mapped_column(index=True)
    name: Mapped[str]
    description: Mapped[str | None]
    identifier: Mapped[str | None]
    country_of_origin: Mapped[str | None]
    created_at: Mapped[dt.datetime] = mapped_column(default=_now)


class Classification(Base):
    """A classification."""

    __tablename__ = "classifications"
    id: Mapped[str] = mapped_column(primary_key=True, default=_uuid)
    organization: Mapped[str] = mapped_column(index=True)
    product_id: Mapped[str] = mapped_column(ForeignKey("products.id"), index=True)
    batch_id: Mapped[str | None] = mapped_column(index=True)
    webhook_url: Mapped[str | None]
    schedule: Mapped[str]
    status: Mapped[str] = mapped_column(default="pending")
    result: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    created_at: Mapped[dt.datetime] = mapped_column(default=_now)
    completed_at: Mapped[dt.datetime | None]


engine = create_engine(parse_url(os.environ["PEER_DATABASE_URL"]), pool_size=10, max_overflow=30)
Session = sessionmaker(engine, expire_on_commit=False)
