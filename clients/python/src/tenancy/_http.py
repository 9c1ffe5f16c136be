"""Sends one HTTP request with the standard library."""

import http.client
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional


@dataclass
class HttpRequest:
    method: str
    url: str
    headers: Dict[str, str]
    body: Optional[bytes]
    #: Seconds that the request may take, with its response.
    timeout: float


@dataclass
class HttpResponse:
    status: int
    body: bytes
    #: With names in lower case.
    headers: Dict[str, str] = field(default_factory=dict)


#: Sends a request. Raises TimeoutError without a response in time, and OSError without a connection.
Sender = Callable[[HttpRequest], HttpResponse]

_CHUNK_SIZE = 65_536


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Returns redirects as they are, because following one would send the API key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def send_with_urllib(request: HttpRequest) -> HttpResponse:
    """The default sender. It uses the proxies of the environment."""
    deadline = time.monotonic() + request.timeout
    outgoing = urllib.request.Request(request.url, data=request.body, headers=request.headers, method=request.method)
    try:
        with _open(outgoing, request.timeout) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return HttpResponse(response.status, _read(response, deadline), headers)
    except urllib.error.URLError as error:
        if isinstance(error.reason, socket.timeout):
            raise TimeoutError() from error
        raise
    except socket.timeout as error:
        raise TimeoutError() from error
    except http.client.HTTPException as error:
        raise ConnectionError(f"{type(error).__name__}: {error}") from error


def _open(request: urllib.request.Request, timeout: float) -> Any:
    try:
        return _opener.open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        # An error status is a response, too.
        return error


def _read(response: Any, deadline: float) -> bytes:
    """Reads the body. The socket's timeout applies to each read, so a slow body needs a deadline."""
    chunks = []
    while True:
        chunk = response.read1(_CHUNK_SIZE) if hasattr(response, "read1") else response.read(_CHUNK_SIZE)
        if not chunk:
            break
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError()
    body = b"".join(chunks)
    length = response.headers.get("Content-Length")
    # `read1` reports a connection that closes early as the end of the body.
    if length is not None and length.isdigit() and len(body) < int(length):
        raise ConnectionError(f"The response ended after {len(body)} of {length} bytes")
    return body
