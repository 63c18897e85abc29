"""The Python client: typed, synchronous (`Client`) and asynchronous (`AsyncClient`), and for receivers of webhooks.

It knows the interface and nothing of the service behind it. A first use:

    with Client("https://pcs.example.com", "svc_live_…") as pcs:
        for one in pcs.classify_and_wait(ProductFields(name="Men's cotton T-shirt"), ["US-HTS", "EU-CN"]):
            print(one.schedule, one.result and one.result.code)
"""

from pcs.client.asynchronous import AsyncClient
from pcs.client.errors import (
    ApiError,
    AuthenticationError,
    ClientError,
    ConflictError,
    ConnectionFailedError,
    InsufficientCreditsError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    StillRunningError,
    WebhookError,
)
from pcs.client.models import (
    Batch,
    Classification,
    ClassificationError,
    Filters,
    Product,
    ProductFields,
    Result,
    Submitted,
    Webhook,
)
from pcs.client.policy import Policy
from pcs.client.synchronous import Client
from pcs.client.webhooks import Event, read_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "AuthenticationError",
    "Batch",
    "Classification",
    "ClassificationError",
    "Client",
    "ClientError",
    "ConflictError",
    "ConnectionFailedError",
    "Event",
    "Filters",
    "InsufficientCreditsError",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionDeniedError",
    "Policy",
    "Product",
    "ProductFields",
    "RateLimitError",
    "Result",
    "StillRunningError",
    "Submitted",
    "Webhook",
    "WebhookError",
    "read_webhook",
]
