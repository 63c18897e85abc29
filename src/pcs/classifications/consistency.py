"""Variants of the same goods and their codes: goods that differ in size, colour or number alone get one code, unless a
fact decides that the words of their lines speak of.

The trap: variants that workers analyse at the same time, each before it can see the other. Whoever changes a group
holds it to the end of the transaction and looks at all of it: the verdict is the same in whatever order they ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from typing import Any

from pcs.base.database import Transaction
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications import consistency_store as store
from pcs.classifications.model import Classification, Consistency, Outcome, Variant
from pcs.engine.decided import Decided, Standing
from pcs.engine.result import Result
from pcs.engine.variants import VARYING_ATTRIBUTES, Coded, deciding_fact, worded
from pcs.products.model import ProductFields
from pcs.tariff.code import Code

_KEY_BYTES = 16


def key_of(one: Classification, result: Result | None) -> bytes | None:
    """What a tenant's variants under one revision have in common; None in the sandbox, whose answers are simulated,
    without a result, and for goods that have nothing but traits."""
    if one.tenant.environment is Environment.TEST or result is None:
        return None
    forms = _forms(one.goods)
    if not any(forms):
        return None
    whose = (one.tenant.organization_id, one.tenant.environment, one.schedule, result.schedule_revision)
    return blake2b("\0".join((*whose, *forms)).encode(), digest_size=_KEY_BYTES).digest()


def _forms(goods: ProductFields) -> tuple[str, ...]:
    told = [f"{name}: {worded(value).form}" for name, value in sorted(goods.attributes.items()) if not _is_trait(name)]
    return (worded(goods.name).form, worded(goods.description or "").form, *told)


def _is_trait(name: str) -> bool:
    return name.casefold().replace(" ", "_") in VARYING_ATTRIBUTES


async def hold(transaction: Transaction, one: Classification, result: Result | None) -> bytes | None:
    """The group of a classification, held to the end of the transaction. Call it before any row is locked."""
    key = key_of(one, result)
    await hold_all(transaction, [key])
    return key


async def hold_all(transaction: Transaction, keys: Sequence[bytes | None]) -> None:
    """Hold several groups as one transaction does it after the other, in one order for all."""
    if found := sorted({key for key in keys if key is not None}):
        await store.hold(transaction, found)


async def settle(transaction: Transaction, tenant: Tenant, *keys: bytes | None) -> None:
    """Judge groups that are held anew, after some of their classifications have changed."""
    groups: dict[bytes, list[_Member]] = {key: [] for key in keys if key is not None}
    for row in await store.members(transaction, tenant, sorted(groups)):
        groups[row["key"]].append(_member(row))
    verdicts = {
        key: any(_unexplained(*pair) for pair in combinations(members, 2)) for key, members in sorted(groups.items())
    }
    await store.mark(transaction, tenant, verdicts)


async def join(transaction: Transaction, one: Classification, key: bytes | None) -> None:
    """Let a classification count in its group, which is held."""
    if key is not None:
        await store.join(transaction, one.tenant, one.id, key)
        await settle(transaction, one.tenant, key)


async def leave(transaction: Transaction, one: Classification, key: bytes | None) -> None:
    """Let a classification that was rejected or superseded count no more in its group, which is held."""
    if key is not None:
        await store.leave(transaction, one.tenant, one.id)
        await settle(transaction, one.tenant, key)


def held_against(outcome: Outcome, goods: ProductFields, decided: Sequence[Decided]) -> Outcome:
    """An outcome that needs review where the organization has decided otherwise for a variant of the goods."""
    result = outcome.result
    if result is None or result.decision is not None:
        return outcome
    words = {one.reference: one.words for one in decided}
    against = [one for one in _decided_variants(result, goods, words) if one.fact is None]
    if not against:
        return outcome
    told = " ".join(
        f"Your organization decided {one.code.dotted} for a variant of these goods, {one.name} ({one.id}): "
        "look which holds."
        for one in against
    )
    reviewed = dataclasses.replace(result, needs_review=True, reasoning=f"{result.reasoning}\n{told}")
    return dataclasses.replace(outcome, result=reviewed)


async def beside(transaction: Transaction, tenant: Tenant, found: Sequence[Classification]) -> list[Classification]:
    """The same with their variants that got other codes."""
    keys = {one.variant_key for one in found if one.variant_key is not None}
    groups: dict[bytes, list[_Member]] = {key: [] for key in keys}
    for row in await store.members(transaction, tenant, sorted(keys)):
        groups[row["key"]].append(_member(row))
    return [
        dataclasses.replace(one, consistency=_consistency(one, groups.get(one.variant_key or b"", []))) for one in found
    ]


@dataclasses.dataclass(frozen=True, slots=True)
class _Member:
    """A classification of a group: its goods, its code, and whether a person decided that, now or earlier."""

    id: str
    name: str
    code: Code
    coded: Coded
    decided: bool


def _member(row: Mapping[str, Any]) -> _Member:
    text = _text(row["product_name"], row["product_description"], row["product_attributes"] or {})
    return _Member(
        row["id"], row["product_name"], Code(row["code"]), Coded(text, row["description"]), decided=row["decided"]
    )


def _text(name: str, description: str | None, attributes: Mapping[str, str]) -> str:
    return "\n".join((name, description or "", *attributes.values()))


def _unexplained(one: _Member, other: _Member) -> bool:
    """Whether two have other codes and nothing that explains it: people who decided both, or a fact."""
    if one.code == other.code or (one.decided and other.decided):
        return False
    return deciding_fact(one.coded, other.coded) is None


def _consistency(one: Classification, members: Sequence[_Member]) -> Consistency | None:
    """The variants of other codes, those that nothing explains first; None where there are none."""
    code = one.final.code if one.final else one.result.code if one.result else None
    if code is None or one.result is None:
        return None
    goods = one.goods
    description = (one.final.description if one.final else "") or one.result.description
    own = Coded(_text(goods.name, goods.description, goods.attributes), description)
    told: dict[Code, Variant] = {}
    for other in members:
        if other.code != code:
            variant = Variant(other.id, other.name, other.code, deciding_fact(own, other.coded))
            if other.code not in told or variant.fact is None:
                told[other.code] = variant
    for variant in _decided_variants(one.result, goods, {}):
        if variant.code != code:
            told.setdefault(variant.code, variant)
    return Consistency(tuple(told.values()), agrees=not one.inconsistent) if told else None


def _decided_variants(result: Result, goods: ProductFields, words: Mapping[str, str | None]) -> list[Variant]:
    """Decisions that were looked at, that stand, and that gave another code to a variant of the goods."""
    form, own = (
        worded(goods.name).form,
        Coded(_text(goods.name, goods.description, goods.attributes), result.description),
    )
    return [
        Variant(
            one.reference, one.goods, one.code, deciding_fact(own, Coded(one.goods, words.get(one.reference) or ""))
        )
        for one in result.precedents
        if one.code != result.code and one.standing == Standing.IN_FORCE and form and worded(one.goods).form == form
    ]
