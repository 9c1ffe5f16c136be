<?php

declare(strict_types=1);

namespace Tenancy;

/**
 * A lazy list. It sends requests only when it is iterated, and can be iterated repeatedly.
 *
 * @implements \IteratorAggregate<int, array<string, mixed>>
 */
final class PagedList implements \IteratorAggregate
{
    /** The API's largest page. */
    private const MAX_PAGE_SIZE = 100;

    /**
     * @param \Closure(array<string, mixed>): array<string, mixed> $read
     * @param array<string, mixed> $query
     */
    public function __construct(
        private readonly \Closure $read,
        private readonly array $query,
        private readonly bool $isPaginated,
    ) {
    }

    /** Returns one page, from 1; a list without pages is returned as a whole. */
    public function page(?int $number = null): Page
    {
        $query = $this->query;
        if ($this->isPaginated) {
            $query['page'] = $number ?? $query['page'] ?? 1;
        }
        $response = ($this->read)($query);
        return new Page($response['data'], $response['meta']);
    }

    /**
     * Iterates over all items, loading pages on demand. Items that move to the next page because others were added are
     * not repeated.
     */
    public function getIterator(): \Generator
    {
        $previousKeys = [];
        $number = $this->query['page'] ?? 1;
        do {
            $page = $this->page($number);
            $keys = [];
            foreach ($page->data as $item) {
                $key = (string) ($item['id'] ?? $item['slug'] ?? json_encode($item));
                $keys[$key] = true;
                if (!isset($previousKeys[$key])) {
                    yield $item;
                }
            }
            $previousKeys = $keys;
            $number++;
        } while ($number <= ($page->meta['last_page'] ?? 0));
    }

    /** Returns the first item; null for an empty list. @return array<string, mixed>|null */
    public function first(): ?array
    {
        return $this->take(1)[0] ?? null;
    }

    /** Returns the first items; requests no larger pages than it needs. @return list<array<string, mixed>> */
    public function take(int $count): array
    {
        $items = [];
        if ($count <= 0) {
            return $items;
        }
        $query = $this->query;
        if ($this->isPaginated && !isset($query['per_page']) && !isset($query['page'])) {
            $query['per_page'] = min($count, self::MAX_PAGE_SIZE);
        }
        foreach (new self($this->read, $query, $this->isPaginated) as $item) {
            $items[] = $item;
            if (count($items) === $count) {
                break;
            }
        }
        return $items;
    }

    /** Returns all items. @return list<array<string, mixed>> */
    public function all(): array
    {
        return iterator_to_array($this->getIterator(), false);
    }
}
