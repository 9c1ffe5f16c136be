// The log of events: read page by page, or followed as it grows.
import { path, pause, type ReadOptions, type Transport } from "../transport.ts"
import type { EventFilter, EventPage, EventWithDeliveries, TenancyEvent } from "../types.ts"

/** Seconds that the platform may hold an answer back until there is something. */
const LONGEST_WAIT = 25

/** Milliseconds between two questions to a platform that answered at once and with nothing. */
const IDLE = 1_000

/** Events as they come, for `for await`. */
export class EventStream implements AsyncIterable<TenancyEvent> {
  /**
   * Where to continue after a restart: behind the event that the loop received last. Save it once that event is handled, and no event is
   * lost or repeated. `now` becomes a cursor with the first response; undefined until then for a stream that begins with the oldest event.
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
      const asked = Date.now()
      const { data, meta } = await this.#read(this.cursor)
      for (const event of data) {
        // Set first, so that the body of the loop can save it: behind the `yield` it would still name the event before.
        this.cursor = event.id
        yield event
      }
      this.cursor = meta.next_cursor
      if (!data.length && !meta.has_more) await pause(Math.max(0, IDLE - (Date.now() - asked)), this.#signal)
    }
  }
}

export class EventsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * A page of the log, the oldest event first.
   * @param query.after a cursor, or an event's id; without it the oldest that is kept
   */
  async list(query: EventFilter & { limit?: number; wait?: number } = {}, options?: ReadOptions): Promise<EventPage> {
    const { data, meta } = await this.#transport.send({
      operation: "events.list",
      method: "GET",
      path: "/events",
      query,
      hold: (query.wait ?? 0) * 1_000,
      options,
    })
    return { data: data as TenancyEvent[], meta }
  }

  /** One event, and what became of it at each endpoint. */
  async get(id: string, options?: ReadOptions): Promise<EventWithDeliveries> {
    const { data, meta } = await this.#transport.send({
      operation: "events.get",
      method: "GET",
      path: path`/events/${id}`,
      options,
    })
    return { event: data as TenancyEvent, deliveries: meta.deliveries }
  }

  /**
   * Every event from a position on, in the order of their commits, and then those to come, until the loop or the signal ends it.
   * @param query.after where to go on: a stream's `cursor`, an event's id, or `now`; without it the oldest event that is kept
   * @returns the stream; it throws a TenancyError where a call would
   */
  follow(query: EventFilter = {}, options?: ReadOptions): EventStream {
    const { after, ...filter } = query
    // `now` is answered at once, so that the stream soon has a cursor that names a position.
    const read = (cursor: string | undefined) =>
      this.list({ ...filter, after: cursor, limit: 100, wait: cursor === "now" ? 0 : LONGEST_WAIT }, options)
    return new EventStream(after, read, options?.signal)
  }
}
