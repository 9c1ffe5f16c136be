// Paginated lists: iterate over all items with `for await`, or get single pages.
import type { Call, Transport } from "./transport.ts"
import type { PageMeta, PageQuery } from "./types.ts"

export interface Page<Item, Meta = PageMeta> {
  data: Item[]
  meta: Meta
}

type ListCall = Call & { query?: PageQuery }

/** A lazy list; it sends requests only when it is iterated, and can be iterated repeatedly. */
export class List<Item, Meta extends object = PageMeta> implements AsyncIterable<Item> {
  readonly #transport: Transport
  readonly #call: ListCall
  readonly #isPaginated: boolean

  /** @param isPaginated false for a list that is always returned completely */
  constructor(transport: Transport, call: ListCall, isPaginated = true) {
    this.#transport = transport
    this.#call = call
    this.#isPaginated = isPaginated
  }

  /**
   * Returns one page.
   * @param number from 1; ignored by a list without pages
   * @throws TenancyError
   */
  page(number = this.#call.query?.page ?? 1): Promise<Page<Item, Meta>> {
    const query = this.#isPaginated ? { ...this.#call.query, page: number } : this.#call.query
    return this.#transport.send({ ...this.#call, query }) as Promise<unknown> as Promise<Page<Item, Meta>>
  }

  /**
   * Iterates over all items, loading pages on demand. Items that move to the next page because others were added are
   * not repeated.
   * @throws TenancyError
   */
  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let previousKeys = new Set<unknown>()
    let lastPageNumber = Number.NEGATIVE_INFINITY
    let number = this.#call.query?.page ?? 1
    do {
      const { data, meta } = await this.page(number)
      for (const item of data) if (!previousKeys.has(getItemKey(item))) yield item
      previousKeys = new Set(data.map(getItemKey))
      lastPageNumber = getLastPage(meta)
      number += 1
    } while (number <= lastPageNumber)
  }

  /** Returns all items as an array. */
  async all(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }
}

/** Returns the key that identifies an item across pages. */
const getItemKey = (item: unknown): unknown => (item as { id?: unknown; slug?: unknown }).id ?? item

const getLastPage = (meta: object): number => ("last_page" in meta ? Number(meta.last_page) : 1)
