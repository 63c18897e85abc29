"""The Model Context Protocol at `/mcp`: assistants classify goods, look codes up and search rulings with the same keys.

The trap: a second way in with rules of its own; requests pass the same gate, and each tool asks for the same scope and
has the same access as its endpoint. Stateless: any process answers any request."""

from __future__ import annotations

import asyncio
import importlib.metadata
import inspect
import json
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import structlog
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, RefusalError
from pcs.bootstrap import Service
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, ClassificationOptions
from pcs.http.access import Access, require
from pcs.http.submitted import ProductInput, require_law
from pcs.http.tools import ToolServer, strict_tool
from pcs.http.violations import told as told_of
from pcs.http.wordings import ReadIn, read_in
from pcs.organizations.model import Scope
from pcs.products import service as products
from pcs.reviewer.law import Law, LawOf
from pcs.reviewer.lookups import Lookups
from pcs.tariff.code import InvalidCodeError
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Day
from pcs.wire.classifications import ClassificationOutput

_LIMIT_SECONDS = 20.0  # seconds that `classify_product` waits; well under the time-outs of the clients we know
_PAUSE = 0.2

_INSTRUCTIONS = """\
Tariff codes for goods: US-HTS (10 digits) and EU-CN (8 digits). `classify_product` costs one credit a schedule; the
more is known of the product (material, use, how it is made), the more certain the code. Say so when `needs_review` is
true or the confidence is low.
"""

_READING = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ORDERING = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)

_log = structlog.get_logger(__name__)

Name = Annotated[str, Field(description="What the goods are, such as “men's knitted cotton T-shirt”.")]
Schedule = Annotated[ScheduleName, Field(description="`US-HTS` or `EU-CN`.")]
WordsIn = Annotated[
    ReadIn | None, Field(description="Official words in this language, where they are loaded: ISO 639-1, such as de.")
]
Found = dict[str, Any]


def build_tool_server(service: Service) -> ToolServer:
    """The server with its tools. Its session manager must run while it answers."""
    tools = _Tools(service)
    looking = (tools.search_schedule, tools.look_up_code, tools.read_note, tools.search_rulings, tools.read_ruling)
    reading = (tools.get_classification, *looking)
    described = [strict_tool(tools.classify_product, description=_about(tools.classify_product), annotations=_ORDERING)]
    described += [strict_tool(tool, description=_about(tool), annotations=_READING) for tool in reading]
    server = ToolServer(
        "pcs",
        title="Product Classification Service",
        instructions=_INSTRUCTIONS,
        version=importlib.metadata.version("pcs"),
        log_level="WARNING",
        tools=described,
    )
    plain = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # every request carries a key anyway
    server.streamable_http_app(stateless_http=True, json_response=True, transport_security=plain)
    return server


def _about(tool: Callable[..., Awaitable[Found]]) -> str:
    return inspect.getdoc(tool) or ""


class _Tools:
    """What assistants can do. The docstrings are what they read."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._law_of = LawOf(service.library)

    async def classify_product(  # noqa: PLR0913, PLR0917 (a parameter each thing that an assistant may say)
        self,
        context: Context[Any, Any],
        name: Name,
        description: Annotated[str, Field(description="Materials, use, dimensions, how it is made.")] = "",
        country_of_origin: Annotated[str | None, Field(description="ISO 3166-1 alpha-2.")] = None,
        language: Annotated[str | None, Field(description="Of these words, ISO 639-1; found if left out.")] = None,
        declared_codes: Annotated[
            dict[ScheduleName, str] | None, Field(description="What they are filed under today, to compare with.")
        ] = None,
        attributes: Annotated[dict[str, str] | None, Field(description="Single facts, such as material.")] = None,
        entry_date: Annotated[Day | None, Field(description="The day of customs entry; today if left out.")] = None,
        schedules: Annotated[list[ScheduleName], Field(min_length=1, max_length=2)] = [ScheduleName.US_HTS],  # noqa: B006 (read, never changed)
        words_in: WordsIn = None,
    ) -> Found:
        """Give goods their tariff code under one or both schedules, with reasons, confidence and alternatives.

        Costs one credit for each schedule. Waits up to 20 seconds; ask `get_classification` for what is not final then.
        """

        async def work() -> Found:
            access = self._access(context, Scope.CLASSIFICATIONS_WRITE)
            goods = ProductInput(
                name=name,
                description=description or None,
                country_of_origin=country_of_origin,
                language=language,
                declared_codes={str(one): code for one, code in (declared_codes or {}).items()},
                attributes=attributes,
                entry_date=entry_date,
            )
            terms = ClassificationOptions(schedules=tuple(dict.fromkeys(schedules)))
            await require_law(access, [goods.fields()], terms.schedules, "product")
            async with access.write() as transaction:
                accepted = await _accept(transaction, access, goods, terms)
            shown = await read_in(access, await _finished(access, accepted), words_in)
            return {"classifications": [_shown(one) for one in shown]}

        return await _answered(work)

    async def get_classification(
        self, context: Context[Any, Any], classification_id: str, words_in: WordsIn = None
    ) -> Found:
        """Get a classification by its id, such as `clf_…`: its status, and its result once it is completed."""

        async def work() -> Found:
            access = self._access(context, Scope.CLASSIFICATIONS_READ)
            async with access.read() as transaction:
                found = await classifications.get(transaction, access.tenant, classification_id)
            [shown] = await read_in(access, [found], words_in)
            return _shown(shown)

        return await _answered(work)

    async def search_schedule(
        self,
        context: Context[Any, Any],
        words: Annotated[str, Field(description="What the goods are, in the terms that the tariff uses.")],
        schedule: Schedule = ScheduleName.US_HTS,
    ) -> Found:
        """Search the tariff's tree by words: headings, subheadings and lines. Look one up to see around it."""
        return await self._looked(context, schedule, lambda lookups: lookups.search_schedule(words))

    async def look_up_code(
        self,
        context: Context[Any, Any],
        code: Annotated[str, Field(description="2 to 10 digits, dots allowed, such as `6109.10`.")],
        schedule: Schedule = ScheduleName.US_HTS,
    ) -> Found:
        """Look a tariff code up: its path, the tree below it down to the lines, what is beside it, notes that decide.

        Other notes are named. A line has its duty and units.
        """
        return await self._looked(context, schedule, lambda lookups: lookups.look_up_code(code))

    async def read_note(
        self,
        context: Context[Any, Any],
        reference: Annotated[str, Field(description="The note's reference, as a look-up names it.")],
        schedule: Schedule = ScheduleName.US_HTS,
    ) -> Found:
        """Read a note that a look-up named, whole."""
        return await self._looked(context, schedule, lambda lookups: lookups.read_note(reference))

    async def search_rulings(
        self,
        context: Context[Any, Any],
        words: Annotated[str, Field(description="Words of the goods.")] = "",
        code: Annotated[str | None, Field(description="The ruling cites this code or one below it.")] = None,
        schedule: Schedule = ScheduleName.US_HTS,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> Found:
        """Search a schedule's loaded rulings that are not revoked, by words of subject and letter and by code."""
        return await self._looked(context, schedule, lambda lookups: lookups.search_rulings(words, code or "", limit))

    async def read_ruling(
        self,
        context: Context[Any, Any],
        reference: Annotated[str, Field(description="The ruling's number, however it is written.")],
        schedule: Schedule = ScheduleName.US_HTS,
    ) -> Found:
        """Read one ruling: goods, codes, reasons, and whether it is still in force."""
        return await self._looked(context, schedule, lambda lookups: lookups.read_ruling(reference))

    async def _looked(
        self, context: Context[Any, Any], schedule: ScheduleName, look: Callable[[Lookups], Found]
    ) -> Found:
        """What one of the look-ups finds: the very tools that the reviewer has."""

        async def work() -> Found:
            access = self._access(context, Scope.CLASSIFICATIONS_READ)
            found = await self._service.searcher.in_turn(lambda: look(Lookups(self._law(schedule))))
            async with access.read():
                return found

        return await _answered(work)

    def _law(self, schedule: ScheduleName) -> Law:
        return self._law_of(schedule).ranked_by(self._service.searcher.ranked(schedule))

    def _access(self, context: Context[Any, Any], scope: Scope) -> Access:
        request = context.request_context.request
        assert isinstance(request, Request)
        key = request.scope["state"]["key"]
        require(key, scope)
        return Access(request, self._service, key)


async def _accept(
    transaction: Transaction, access: Access, goods: ProductInput, terms: ClassificationOptions
) -> list[Classification]:
    [product] = await products.create(transaction, access.tenant, [goods.fields()], now=access.now)
    return await classifications.accept(transaction, access.tenant, [product], terms, now=access.now)


async def _finished(access: Access, accepted: list[Classification]) -> list[Classification]:
    """The classifications once all are final, or as they are after a while."""
    deadline = time.monotonic() + _LIMIT_SECONDS
    while True:
        async with access.read() as transaction:
            found = [await classifications.get(transaction, access.tenant, one.id) for one in accepted]
        if all(one.status.is_final for one in found) or time.monotonic() > deadline:
            return found
        await asyncio.sleep(_PAUSE)


async def _answered(work: Callable[[], Awaitable[Found]]) -> Found:
    """What work finds; a refusal in words for the assistant, a fault of ours without the inside of it."""
    try:
        return await work()
    except InvalidRequestError as refusal:
        told = "; ".join(f"{one.field}: {one.message}" for one in refusal.violations)
    except ValidationError as error:
        told = "; ".join(f"{one['loc'][-1]}: {told_of(one)}" for one in error.errors())
    except (RefusalError, InvalidCodeError) as refusal:
        told = str(refusal)
    except Exception as fault:
        _log.exception("tool failed")
        msg = "Something went wrong on our side; try again."
        raise ToolError(msg) from fault
    raise ToolError(told)


def _shown(one: Classification) -> Found:
    return _plain(ClassificationOutput.of(one))


def _plain(model: BaseModel) -> Found:
    plain: Found = json.loads(model.model_dump_json(exclude_unset=True))
    return plain
