"""Python client of Tenancy's control plane and webhooks."""

from ._client import Tenancy
from ._errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    InvalidResponseError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    TenancyError,
    ValidationError,
    WaitError,
)
from ._http import HttpRequest, HttpResponse, Sender, send_with_urllib
from ._list import Page, PagedList
from ._resource import RequestOptions
from ._transport import ResponseInfo, RetryInfo
from .error_codes import ErrorCode
from .webhooks import SignedWebhook, WebhookVerificationError, sign_webhook, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "ErrorCode",
    "HttpRequest",
    "HttpResponse",
    "InvalidResponseError",
    "NotFoundError",
    "Page",
    "PagedList",
    "PermissionDeniedError",
    "RateLimitError",
    "RequestOptions",
    "RequestTimeoutError",
    "ResponseInfo",
    "RetryInfo",
    "Sender",
    "ServerError",
    "SignedWebhook",
    "Tenancy",
    "TenancyError",
    "ValidationError",
    "WaitError",
    "WebhookVerificationError",
    "send_with_urllib",
    "sign_webhook",
    "verify_webhook",
]
