// Streams events to the browser as they are committed (server-sent events). Each message has its cursor as its id, so a
// browser that reconnects resumes after the last message it received, without gaps or duplicates.
import type { Context } from "hono"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { EVENT_TYPES } from "../../core/write/event-types"
import { currentTime } from "../../lib/clock"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { Note } from "../../page-kit/parts"
import { findSessionByHash } from "../../platform/operators/sessions"
import { encodeCursor } from "../../webhooks/events/cursor"
import { ListEvents } from "../../webhooks/events/schemas"
import { readFeed } from "../../webhooks/events/service"
import { timeZoneOf } from "../forms"
import { Filters } from "../kit/filters"
import { page } from "../kit/page"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/events/live"

/** The browser reconnects automatically. */
const CONNECTION_SECONDS = 60

/** Interval of session checks: the stream of a disabled operator ends within it. */
const SESSION_CHECK_SECONDS = 2

const TailQuery = z.object({ types: ListEvents.shape.types, store: ListEvents.shape.store })

export const tail = createPages()
  .get(PATH, (c) => {
    const query = new URL(c.req.url).searchParams.toString()
    return page(c, {
      title: W.tail.title,
      crumbs: [[W.events.title, "/console/events"]],
      children: (
        <>
          <Filters>
            <SelectFilter name="types" label={W.events.event} choices={[...EVENT_TYPES]} />
            <TextFilter name="store" />
          </Filters>
          <noscript>
            <Note tone="warn">
              <p>{W.tail.no_script}</p>
            </Note>
          </noscript>
          <p class="sub" id="tail-state" role="status" data-waiting={W.tail.waiting} data-cut={W.tail.cut}>
            {W.tail.waiting}
          </p>
          <ol
            class="plain"
            id="tail"
            data-tail={`${PATH}/stream${query && `?${query}`}`}
            data-zone={timeZoneOf(c)}
            aria-label={W.tail.title}
          />
        </>
      ),
    })
  })
  .get(`${PATH}/stream`, (c) => streamEvents(c))

function streamEvents(c: Context<ConsoleEnv>): Response {
  const { ctx } = c.var
  const session = getSession(c)
  const isOpen = async () => (await findSessionByHash({ ...ctx, now: currentTime() }, session.session.hash)) !== null
  const query = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ""))
  const parsed = TailQuery.safeParse(query)
  const { input } = parsed.success ? { input: parsed.data } : parseQuery(c, TailQuery)
  const last = c.req.header("Last-Event-ID") ?? c.req.query("after") ?? "now"
  const start = ListEvents.shape.after.safeParse(last)
  const encoder = new TextEncoder()
  let isGone = false
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      try {
        await followEvents(
          ctx,
          { ...input, after: (start.success && start.data) || { kind: "now" } },
          send,
          () => isGone,
          isOpen,
        )
        if (!isGone) controller.close()
      } catch (cause) {
        if (isGone) return
        ctx.log.error("a live tail ended", cause)
        controller.close()
      }
    },
    cancel() {
      isGone = true
    },
  })
  return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } })
}

type After = NonNullable<ReturnType<typeof ListEvents.shape.after.parse>>

async function followEvents(
  ctx: Ctx,
  params: { types?: string[]; store?: string; after: After },
  send: (text: string) => void,
  isGone: () => boolean,
  isOpen: () => Promise<boolean>,
): Promise<void> {
  send("retry: 1000\n\n")
  let { after } = params
  for (let left = CONNECTION_SECONDS; left > 0 && !isGone(); left -= SESSION_CHECK_SECONDS) {
    // Run in parallel, so the check adds no round trip.
    const [feed, isSessionOpen] = await Promise.all([
      readFeed(ctx, { ...params, after, order: "asc", limit: 50, wait: SESSION_CHECK_SECONDS }, { isGone }),
      isOpen(),
    ])
    if (!isSessionOpen) return
    after = { kind: "seq", seq: feed.next }
    const cursor = encodeCursor(feed.next)
    // One message per page: if the connection breaks inside it, the browser receives the whole page again.
    send(
      feed.payloads.length
        ? `id: ${cursor}\ndata: [${feed.payloads.join(",")}]\n\n`
        : `id: ${cursor}\n: nothing new\n\n`,
    )
  }
}
