// The event log: single pages, or a stream that follows new events.
import { buildPath, type ReadOptions, sleep, type Transport } from "../transport.ts"
import type { EventFilter, EventPage, EventWithDeliveries, TenancyEvent } from "../types.ts"

/** Long-poll timeout of one request. */
const LONG_POLL_SECONDS = 25

/** Minimum interval between requests when responses are empty. */
const MIN_POLL_INTERVAL_MS = 1_000

/** A stream of events, for `for await`. */
export class EventStream implements AsyncIterable<TenancyEvent> {
  /**
   * Position after the last event that the loop received. Save it once that event is handled, and continue from it
   * after a restart, so no event is lost or repeated. With `now` it is a cursor after the first response; a stream that
   * starts with the oldest event has none until then.
   */
  cursor: string | undefined
  readonly #read: (after: string | undefined) => Promise<EventPage>
  readonly #signal: AbortSignal | undefined

  constructor(
    after: string | undefined,
    read: (after: string | undefined) => Promise<EventPage>,
    signal: AbortSignal | undefined,
  ) {
    this.cursor = after
    this.#read = read
    this.#signal = signal
  }

  async *[Symbol.asyncIterator](): AsyncIterator<TenancyEvent> {
    for (;;) {
      const requestedAt = Date.now()
      const { data, meta } = await this.#read(this.cursor)
      for (const event of data) {
        // Set before the `yield`, so the loop body can save it.
        this.cursor = event.id
        yield event
      }
      this.cursor = meta.next_cursor
      if (!data.length && !meta.has_more)
        await sleep(Math.max(0, MIN_POLL_INTERVAL_MS - (Date.now() - requestedAt)), this.#signal)
    }
  }
}

export class EventsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Returns a page of the log, oldest event first.
   * @param query.after a cursor or an event ID; defaults to the oldest retained event
   */
  async list(query: EventFilter & { limit?: number; wait?: number } = {}, options?: ReadOptions): Promise<EventPage> {
    const { data, meta } = await this.#transport.send({
      operation: "events.list",
      method: "GET",
      path: "/events",
      query,
      waitMs: (query.wait ?? 0) * 1_000,
      options,
    })
    return { data: data as TenancyEvent[], meta }
  }

  /** Returns an event with its deliveries. */
  async get(id: string, options?: ReadOptions): Promise<EventWithDeliveries> {
    const { data, meta } = await this.#transport.send({
      operation: "events.get",
      method: "GET",
      path: buildPath`/events/${id}`,
      options,
    })
    return { event: data as TenancyEvent, deliveries: meta.deliveries }
  }

  /**
   * Streams all events from a position in commit order, then new ones, until the loop or the signal ends it.
   * @param query.after a stream's `cursor`, an event ID, or `now`; defaults to the oldest retained event
   * @returns the stream, whose iteration throws a TenancyError for a failed request
   */
  follow(query: EventFilter = {}, options?: ReadOptions): EventStream {
    const { after, ...filter } = query
    // `now` is requested without waiting, so that the stream gets a cursor immediately.
    const read = (cursor: string | undefined) =>
      this.list({ ...filter, after: cursor, limit: 100, wait: cursor === "now" ? 0 : LONG_POLL_SECONDS }, options)
    return new EventStream(after, read, options?.signal)
  }
}
