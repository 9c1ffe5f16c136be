// Lists: all of one by `for await`, or a page of it.
import type { Call, Transport } from "./transport.ts"
import type { PageMeta, PageQuery } from "./types.ts"

export interface Page<Item, Meta = PageMeta> {
  data: Item[]
  meta: Meta
}

type ListCall = Call & { query?: PageQuery }

/** A list that nothing was asked of yet; it can be walked any number of times. */
export class List<Item, Meta extends object = PageMeta> implements AsyncIterable<Item> {
  readonly #transport: Transport
  readonly #call: ListCall
  readonly #isPaginated: boolean

  /** @param isPaginated false of a list that always comes whole */
  constructor(transport: Transport, call: ListCall, isPaginated = true) {
    this.#transport = transport
    this.#call = call
    this.#isPaginated = isPaginated
  }

  /**
   * One page.
   * @param number from 1; a list that is not paginated comes whole, whatever the number
   * @throws TenancyError
   */
  page(number = this.#call.query?.page ?? 1): Promise<Page<Item, Meta>> {
    const query = this.#isPaginated ? { ...this.#call.query, page: number } : this.#call.query
    return this.#transport.send({ ...this.#call, query }) as Promise<unknown> as Promise<Page<Item, Meta>>
  }

  /**
   * Every item from the first page on, each page read when it is needed. What is added meanwhile moves items to the next page:
   * those are not given twice.
   * @throws TenancyError
   */
  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let before = new Set<unknown>()
    let last = Number.NEGATIVE_INFINITY
    let number = this.#call.query?.page ?? 1
    do {
      const { data, meta } = await this.page(number)
      for (const item of data) if (!before.has(nameOf(item))) yield item
      before = new Set(data.map(nameOf))
      last = lastPage(meta)
      number += 1
    } while (number <= last)
  }

  /** Every item, in an array. */
  async all(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }
}

/** What an item is known by from one page to the next. */
const nameOf = (item: unknown): unknown => (item as { id?: unknown; slug?: unknown }).id ?? item

const lastPage = (meta: object): number => ("last_page" in meta ? Number(meta.last_page) : 1)
