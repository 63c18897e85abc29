"""The Python client: typed, synchronous (`Client`) and asynchronous (`AsyncClient`), and for receivers of webhooks.

It knows the interface and nothing of the service behind it. A first use:

    with Client("https://pcs.example.com", "svc_live_…") as pcs:
        for one in pcs.classify_and_wait(ProductFields(name="Men's cotton T-shirt"), ["US-HTS", "EU-CN"]):
            print(one.schedule, one.result and one.result.code)
"""

from pcs_client.asynchronous import AsyncClient
from pcs_client.errors import (
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
from pcs_client.models import (
    Batch,
    Classification,
    ClassificationError,
    Filters,
    Product,
    ProductFields,
    Result,
    RowProblem,
    Submitted,
    Upload,
    Webhook,
)
from pcs_client.policy import Policy
from pcs_client.synchronous import Client
from pcs_client.webhooks import Event, read_webhook

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
    "RowProblem",
    "StillRunningError",
    "Submitted",
    "Upload",
    "Webhook",
    "WebhookError",
    "read_webhook",
]
