"""The client, with one attribute per resource."""

import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from ._errors import WaitError
from ._http import Sender
from ._operations import (
    AppsOperations,
    AuditOperations,
    CouponsOperations,
    DeliveriesOperations,
    DomainsOperations,
    EventsOperations,
    KeysOperations,
    MeOperations,
    PlansOperations,
    PlatformOperations,
    StoresOperations,
    SubscriptionsOperations,
    UsageOperations,
    WebhooksOperations,
)
from ._resource import RequestOptions
from ._transport import ResponseInfo, RetryInfo, Transport

#: Delays between the requests of wait_until, in seconds; the last one repeats.
_POLL_INTERVALS = (0.25, 0.25, 0.5, 0.5, 1.0, 2.0)

_LONG_POLL_SECONDS = 25

#: Minimum interval between requests of a stream when responses are empty, in seconds.
_MIN_POLL_INTERVAL = 1.0


class Stores(StoresOperations):
    def wait_until(
        self, id: str, status: str, *, timeout: float = 120.0, options: Optional[RequestOptions] = None
    ) -> Dict[str, Any]:
        """Waits until a store has a status, such as ``ready``, and returns it.

        :param timeout: total seconds
        :raises WaitError: after the timeout, or when provisioning failed
        """
        end = time.monotonic() + timeout
        poll = 0
        while True:
            store = self.get(id, options=options)
            if store["status"] == status:
                return store
            if store["status"] == "failed":
                message = f"Store {id} failed and will not become {status}"
                raise WaitError(message, operation="stores.get", code="wait_failed")
            remaining = end - time.monotonic()
            if remaining <= 0:
                message = f"Store {id} was still {store['status']} after {timeout:g} s"
                raise WaitError(message, operation="stores.get", code="wait_timeout")
            self._transport.sleep(min(remaining, _POLL_INTERVALS[min(poll, len(_POLL_INTERVALS) - 1)]))
            poll += 1


class EventStream:
    """A stream of events, for a ``for`` loop.

    ``cursor`` is the position after the last event that the loop received. Save it once that event is handled, and
    continue from it after a restart, so no event is lost or repeated.
    """

    def __init__(self, events: "Events", after: Optional[str], query: Dict[str, Any], options: Any) -> None:
        self.cursor = after
        self._events = events
        self._query = query
        self._options = options

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        while True:
            requested_at = time.monotonic()
            # `now` is requested without waiting, so that the stream gets a cursor immediately.
            wait = 0 if self.cursor == "now" else _LONG_POLL_SECONDS
            query = {**self._query, "after": self.cursor, "limit": 100, "wait": wait}
            response = self._events._read(query, self._options, wait)
            for event in response["data"]:
                # Set before the `yield`, so the loop body can save it.
                self.cursor = event["id"]
                yield event
            self.cursor = response["meta"]["next_cursor"]
            if not response["data"] and not response["meta"]["has_more"]:
                remaining = _MIN_POLL_INTERVAL - (time.monotonic() - requested_at)
                self._events._transport.sleep(max(0.0, remaining))


class Events(EventsOperations):
    def follow(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[List[str]] = None,
        store: Optional[str] = None,
        options: Optional[RequestOptions] = None,
    ) -> EventStream:
        """Streams all events from a position in commit order, then new ones.

        :param after: a stream's ``cursor``, an event id, or ``now``; defaults to the oldest retained event
        :param types: event names, ``<resource>.*``, or ``*``
        """
        return EventStream(self, after, {"types": types, "store": store}, options)

    def _read(self, query: Dict[str, Any], options: Any, wait: float) -> Any:
        return self._body("events.list", "GET", "/events", query=query, options=options, wait=wait)


class Tenancy:
    """A client of the control plane.

    Operations return the resource as a dictionary. Failed calls raise a ``TenancyError``. Calls are retried after a
    429, a 5xx or a network error; all attempts of a write share one Idempotency-Key, so it takes effect once.

    :param base_url: the platform's origin, such as ``https://shops.example.com``
    :param key: an API key
    :param timeout: seconds that one attempt may take
    :param max_retries: retries after a 429, a 5xx or a network error
    :param headers: additional headers of every request
    :param on_response: called after every response, also for errors and attempts that are retried
    :param on_retry: called before the delay of a retry
    :param send: replaces the HTTP client
    :param sleep: replaces ``time.sleep``
    """

    def __init__(
        self,
        *,
        base_url: str,
        key: str,
        timeout: float = 30.0,
        max_retries: int = 4,
        headers: Optional[Mapping[str, str]] = None,
        on_response: Optional[Callable[[ResponseInfo], None]] = None,
        on_retry: Optional[Callable[[RetryInfo], None]] = None,
        send: Optional[Sender] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        transport = Transport(base_url, key, timeout, max_retries, headers, on_response, on_retry, send, sleep)
        self.platform = PlatformOperations(transport)
        self.me = MeOperations(transport)
        self.keys = KeysOperations(transport)
        self.plans = PlansOperations(transport)
        self.coupons = CouponsOperations(transport)
        self.stores = Stores(transport)
        self.subscriptions = SubscriptionsOperations(transport)
        self.usage = UsageOperations(transport)
        self.audit = AuditOperations(transport)
        self.domains = DomainsOperations(transport)
        self.apps = AppsOperations(transport)
        self.webhooks = WebhooksOperations(transport)
        self.deliveries = DeliveriesOperations(transport)
        self.events = Events(transport)
