"""Lists: iterate over all items, or get single pages."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Callable, Dict, Iterator, List, Optional

#: The API's largest page.
MAX_PAGE_SIZE = 100


@dataclass
class Page:
    data: List[Dict[str, Any]]
    meta: Dict[str, Any]


class PagedList:
    """A lazy list. It sends requests only when it is iterated, and can be iterated repeatedly."""

    def __init__(self, read: Callable[[Dict[str, Any]], Any], query: Dict[str, Any], is_paginated: bool) -> None:
        self._read = read
        self._query = query
        self._is_paginated = is_paginated

    def page(self, number: Optional[int] = None) -> Page:
        """Returns one page, from 1; a list without pages is returned as a whole."""
        query = dict(self._query)
        if self._is_paginated:
            query["page"] = number or query.get("page") or 1
        response = self._read(query)
        return Page(response["data"], response["meta"])

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """Iterates over all items, loading pages on demand.

        Items that move to the next page because others were added are not repeated.
        """
        previous_keys: "set[Any]" = set()
        number = self._query.get("page") or 1
        while True:
            page = self.page(number)
            for item in page.data:
                if _get_key(item) not in previous_keys:
                    yield item
            previous_keys = {_get_key(item) for item in page.data}
            number += 1
            if number > page.meta.get("last_page", 0):
                return

    def first(self) -> Optional[Dict[str, Any]]:
        """Returns the first item; None for an empty list."""
        return next(iter(self.take(1)), None)

    def take(self, count: int) -> List[Dict[str, Any]]:
        """Returns the first items; requests no larger pages than it needs."""
        if count <= 0:
            return []
        query = self._query
        if self._is_paginated and "per_page" not in query and "page" not in query:
            query = {**query, "per_page": min(count, MAX_PAGE_SIZE)}
        return list(islice(PagedList(self._read, query, self._is_paginated), count))

    def all(self) -> List[Dict[str, Any]]:
        """Returns all items."""
        return list(self)


def _get_key(item: Dict[str, Any]) -> Any:
    """Identifies an item across pages."""
    return item.get("id", item.get("slug", id(item)))
