"""Sends API requests with retries, backoff and idempotency keys."""

import json
import random
import re
import time
import urllib.parse
import uuid
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Dict, Mapping, Optional

from ._errors import (
    ConnectionFailedError,
    InvalidResponseError,
    RequestTimeoutError,
    TenancyError,
    get_error_class,
)
from ._http import HttpRequest, HttpResponse, Sender, send_with_urllib

BASE_PATH = "/api/platform/v1"

#: Delay before the first retry; doubles with each retry.
INITIAL_BACKOFF_SECONDS = 0.25
MAX_BACKOFF_SECONDS = 8.0

#: A longer Retry-After is raised instead of waited for.
MAX_RETRY_AFTER_SECONDS = 120


@dataclass
class ResponseInfo:
    """A response without its body, for the hook ``on_response``."""

    operation: str
    method: str
    url: str
    #: Number of the attempt, from 1.
    attempt: int
    status: int
    #: Identifies the request in the platform's log.
    request_id: Optional[str]
    #: With names in lower case.
    headers: Dict[str, str]
    duration: float


@dataclass
class RetryInfo:
    """A retry that is about to be made, for the hook ``on_retry``."""

    operation: str
    attempt: int
    error: TenancyError
    #: Seconds until the retry.
    delay: float


class Transport:
    """Sends calls of the control plane."""

    def __init__(
        self,
        base_url: str,
        key: str,
        timeout: float,
        max_retries: int,
        headers: Optional[Mapping[str, str]],
        on_response: Optional[Callable[[ResponseInfo], None]],
        on_retry: Optional[Callable[[RetryInfo], None]],
        send: Optional[Sender],
        sleep: Callable[[float], None],
    ) -> None:
        parts = urllib.parse.urlsplit(base_url if isinstance(base_url, str) else "")
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"base_url must be an origin such as https://shops.example.com, not {base_url!r}")
        if not isinstance(key, str) or not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("key must be an API key")
        _check_options(timeout, max_retries)
        self._base = f"{parts.scheme}://{parts.netloc}{BASE_PATH}"
        self._headers = {"Accept": "application/json", "Authorization": f"Bearer {key}", **(headers or {})}
        self._timeout = timeout
        self._max_retries = max_retries
        self._on_response = on_response
        self._on_retry = on_retry
        self._send = send or send_with_urllib
        self.sleep = sleep

    def request(
        self,
        operation: str,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        options: Optional[Mapping[str, Any]] = None,
        wait: float = 0,
    ) -> Any:
        """Sends a call with retries and returns the JSON of the response; None without a body.

        :param wait: seconds of long polling, added to the timeout
        """
        options = options or {}
        max_retries = options.get("max_retries", self._max_retries)
        timeout = options.get("timeout", self._timeout)
        _check_options(timeout, max_retries)
        # Built once, so that all attempts of a write share one idempotency key.
        request = self._build_request(method, path, query, body, options, timeout + wait)
        retries = 0
        while True:
            try:
                return self._try(operation, request, retries + 1)
            except TenancyError as error:
                if not _is_retryable(error) or retries >= max_retries:
                    raise
                delay = _compute_backoff(retries, error.retry_after)
                if self._on_retry:
                    self._on_retry(RetryInfo(operation, retries + 1, error, delay))
            retries += 1
            self.sleep(delay)

    def _build_request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Optional[Mapping[str, Any]],
        options: Mapping[str, Any],
        timeout: float,
    ) -> HttpRequest:
        values = {name: _to_query_text(value) for name, value in (query or {}).items() if value is not None}
        url = self._base + path + (f"?{urllib.parse.urlencode(values)}" if values else "")
        headers = {**self._headers, **(options.get("headers") or {})}
        if method != "GET":
            headers["Idempotency-Key"] = options.get("idempotency_key") or str(uuid.uuid4())
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        return HttpRequest(method, url, headers, content, timeout)

    def _try(self, operation: str, request: HttpRequest, attempt: int) -> Any:
        started_at = time.monotonic()
        try:
            response = self._send(request)
        except TimeoutError as error:
            message = f"No response within {request.timeout:g} s"
            raise RequestTimeoutError(message, operation=operation, code="timeout") from error
        except OSError as error:
            message = f"The connection failed: {error}"
            raise ConnectionFailedError(message, operation=operation, code="connection_failed") from error
        if self._on_response:
            duration = time.monotonic() - started_at
            request_id = response.headers.get("x-request-id")
            self._on_response(
                ResponseInfo(
                    operation,
                    request.method,
                    request.url,
                    attempt,
                    response.status,
                    request_id,
                    response.headers,
                    duration,
                )
            )
        return _parse_response(operation, response)


def _check_options(timeout: Any, max_retries: Any) -> None:
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise ValueError("timeout must be a number of seconds above 0")
    if not isinstance(max_retries, int) or max_retries < 0:
        raise ValueError("max_retries must be a whole number")


def _to_query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)


def _is_retryable(error: TenancyError) -> bool:
    if (error.retry_after or 0) > MAX_RETRY_AFTER_SECONDS:
        return False
    # The first attempt of a write may still be in progress when it is retried.
    has_no_answer = isinstance(error, (ConnectionFailedError, RequestTimeoutError, InvalidResponseError))
    return has_no_answer or error.status == 429 or error.status >= 500 or error.code == "idempotency_in_progress"


def _parse_response(operation: str, response: HttpResponse) -> Any:
    is_success = 200 <= response.status < 300
    if is_success and not response.body:
        return None
    parsed = _parse_json(response.body)
    request_id = response.headers.get("x-request-id")
    if is_success:
        if parsed is None:
            message = "The response is not JSON"
            status = response.status
            raise InvalidResponseError(
                message, operation=operation, code="invalid_answer", status=status, request_id=request_id
            )
        return parsed
    error = (parsed or {}).get("error")
    error = error if isinstance(error, dict) else {}
    raise get_error_class(response.status)(
        error.get("message") or f"The response has status {response.status}",
        operation=operation,
        code=error.get("code") or "http_error",
        status=response.status,
        errors=(parsed or {}).get("errors") or {},
        request_id=request_id,
        retry_after=_parse_retry_after(response.headers.get("retry-after")),
    )


def _parse_json(body: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _parse_retry_after(text: Optional[str]) -> Optional[int]:
    """Parses a Retry-After in seconds or as a date (RFC 9110, 10.2.3); returns seconds."""
    text = (text or "").strip()
    if re.fullmatch(r"[0-9]{1,10}", text):
        return int(text)
    try:
        return max(0, round(parsedate_to_datetime(text).timestamp() - time.time()))
    except (TypeError, ValueError, IndexError):
        return None


def _compute_backoff(made: int, retry_after: Optional[int]) -> float:
    """Computes the delay before a retry: Retry-After, else exponential backoff, with jitter."""
    if retry_after is not None:
        return retry_after + INITIAL_BACKOFF_SECONDS * random.random()
    return min(MAX_BACKOFF_SECONDS, INITIAL_BACKOFF_SECONDS * 2**made) * (0.5 + random.random() / 2)
