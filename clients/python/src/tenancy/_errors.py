"""The errors of failed calls."""

from typing import Dict, List, Optional


class TenancyError(Exception):
    """An error response of the platform, or a call without a valid response.

    A platform newer than this client may send additional codes.
    """

    def __init__(
        self,
        message: str,
        *,
        operation: str,
        code: str,
        status: int = 0,
        errors: Optional[Dict[str, List[str]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: Name of the operation, such as ``stores.create``.
        self.operation = operation
        #: The stable error code; see ``ErrorCode``.
        self.code = code
        #: HTTP status; 0 without a response.
        self.status = status
        #: Field to error messages.
        self.errors = errors or {}
        #: Identifies the request in the platform's log; None without a response.
        self.request_id = request_id
        #: Seconds to wait before a retry; None when the response does not say.
        self.retry_after = retry_after


class AuthenticationError(TenancyError):
    """401: the API key is missing, unknown, revoked or expired."""


class PermissionDeniedError(TenancyError):
    """403: the API key lacks the scope, or the action is not permitted."""


class NotFoundError(TenancyError):
    """404: the resource does not exist."""


class ConflictError(TenancyError):
    """409 or 412: the current state does not allow the change."""


class ValidationError(TenancyError):
    """400 or 422: the input is invalid; ``errors`` has the messages of each field."""


class RateLimitError(TenancyError):
    """429: too many requests; ``retry_after`` says when to continue."""


class ServerError(TenancyError):
    """5xx: the platform failed, or is unavailable."""


class ConnectionFailedError(TenancyError):
    """There was no response."""


class RequestTimeoutError(TenancyError):
    """There was no complete response in time."""


class InvalidResponseError(TenancyError):
    """The response is not JSON: it was cut off, or sent by an intermediary."""


class WaitError(TenancyError):
    """``stores.wait_until`` timed out (``wait_timeout``), or the store failed (``wait_failed``)."""


_CLASSES = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: ConflictError,
    422: ValidationError,
    429: RateLimitError,
}


def get_error_class(status: int) -> "type[TenancyError]":
    """Returns the class of the errors with a status."""
    return ServerError if status >= 500 else _CLASSES.get(status, TenancyError)
