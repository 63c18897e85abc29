"""One deployment for all tests here, and a fresh organization for each.

The trap: starting processes for every test; they are started once, and one xdist worker has all of these tests."""

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contract.node_project import package, user
from deployment import Customer, Deployment, NewCustomer, client_of, database_beside, deployed
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment

__all__ = ["package", "user"]  # fixtures


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("processes"))


@pytest.fixture(scope="session")
async def deployment(
    settings: Settings, worker_id: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Deployment]:
    """Both APIs and a worker, each a process."""
    with database_beside(settings.database_url, f"contract_{worker_id}") as url:
        own = dataclasses.replace(settings, database_url=url, queue_poll_seconds=0.1, log_level="warning")
        own = dataclasses.replace(own, sandbox_slow_seconds=2.0, data_dir=tmp_path_factory.mktemp("deployment"))
        async with deployed(own) as running:
            yield running


@pytest.fixture
async def new_customer(deployment: Deployment) -> AsyncIterator[NewCustomer]:
    """Makes customers."""
    made: list[Customer] = []

    async def new() -> Customer:
        organization_id = await deployment.organization()
        clients = [
            client_of(deployment, environment, await deployment.key(organization_id, environment))
            for environment in Environment
        ]
        made.append(Customer(deployment, organization_id, *clients))
        return made[-1]

    yield new
    for customer in made:
        await customer.live.aclose()
        await customer.sandbox.aclose()


@pytest.fixture
async def customer(new_customer: NewCustomer) -> Customer:
    """One customer."""
    return await new_customer()
