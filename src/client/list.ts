// Paginated lists: iterate over all items with `for await`, or get single pages.
import type { Call, Transport } from "./transport.ts"
import type { PageMeta, PageQuery } from "./types.ts"

export interface Page<Item, Meta = PageMeta> {
  data: Item[]
  meta: Meta
}

type ListCall = Call & { query?: PageQuery }

/** The API's largest page. */
const MAX_PAGE_SIZE = 100

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

  /** Returns the first item; undefined for an empty list. */
  async first(): Promise<Item | undefined> {
    return (await this.take(1))[0]
  }

  /**
   * Returns the first items as an array.
   * @throws TypeError for a count that is not a whole number
   */
  async take(count: number): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this.limit(count)) items.push(item)
    return items
  }

  /**
   * Iterates over the first items; requests no larger pages than it needs.
   * @throws TypeError for a count that is not a whole number
   */
  limit(count: number): AsyncIterable<Item> {
    if (!(Number.isInteger(count) && count >= 0)) throw new TypeError("The count must be a whole number")
    const { query } = this.#call
    const isSized = !this.#isPaginated || query?.per_page !== undefined || query?.page !== undefined
    const perPage = Math.min(Math.max(count, 1), MAX_PAGE_SIZE)
    const list = isSized
      ? this
      : new List<Item, Meta>(this.#transport, { ...this.#call, query: { ...query, per_page: perPage } })
    return { [Symbol.asyncIterator]: () => iterate(list, count) }
  }

  /** Returns all items as an array. */
  async all(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }
}

async function* iterate<Item>(list: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
  if (count === 0) return
  let remaining = count
  for await (const item of list) {
    yield item
    if (--remaining === 0) return
  }
}

/** Returns the key that identifies an item across pages. */
const getItemKey = (item: unknown): unknown => (item as { id?: unknown; slug?: unknown }).id ?? item

const getLastPage = (meta: object): number => ("last_page" in meta ? Number(meta.last_page) : 1)
