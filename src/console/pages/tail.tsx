// The live tail: events as they are committed, over a stream of the server (text/event-stream). Each carries its cursor as its id,
// so that a browser whose connection was cut goes on behind the last one it saw: nothing is lost, nothing comes twice.
import { type Context, Hono } from "hono"
import type { Ctx } from "../../core/context"
import { LICENSE_EVENTS, SUBSCRIBABLE_EVENTS } from "../../core/write/event-types"
import { findSession } from "../../platform/operators/sessions"
import { cursorOf } from "../../webhooks/events/cursor"
import { FollowEvents } from "../../webhooks/events/schemas"
import { readFeed } from "../../webhooks/events/service"
import { Ask, Filters, Pick } from "../kit/form"
import { page } from "../kit/page"
import { Note } from "../kit/parts"
import { readQuery } from "../query-params"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/events/live"

/** Seconds that one connection lasts; the browser opens the next by itself. */
const CONNECTION_SECONDS = 60

/** Seconds between two looks at the session: a disabled operator's stream ends within them. */
const SESSION_CHECK_SECONDS = 2

const Wanted = FollowEvents.pick({ types: true, store: true })

export const tail = new Hono<ConsoleEnv>()
  .get(PATH, (c) => {
    const query = new URL(c.req.url).searchParams.toString()
    return page(c, {
      title: W.tail.title,
      crumbs: [[W.events.title, "/console/events"]],
      children: (
        <>
          <Filters>
            <Pick name="types" label={W.events.event} choices={[...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS]} />
            <Ask name="store" />
          </Filters>
          <noscript>
            <Note tone="warn">
              <p>{W.tail.no_script}</p>
            </Note>
          </noscript>
          <p class="sub" id="tail-state" role="status" data-waiting={W.tail.waiting} data-cut={W.tail.cut}>
            {W.tail.waiting}
          </p>
          <ol class="plain" id="tail" data-tail={`${PATH}/stream${query && `?${query}`}`} aria-label={W.tail.title} />
        </>
      ),
    })
  })
  .get(`${PATH}/stream`, (c) => stream(c))

function stream(c: Context<ConsoleEnv>): Response {
  const { ctx, session } = c.var
  const isOpen = async () => (await findSession({ ...ctx, now: new Date() }, session.session.hash)) !== null
  const given = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ""))
  const wanted = Wanted.safeParse(given)
  const { input } = wanted.success ? { input: wanted.data } : readQuery(c, Wanted)
  const last = c.req.header("Last-Event-ID") ?? c.req.query("after") ?? "now"
  const start = FollowEvents.shape.after.safeParse(last)
  const encoder = new TextEncoder()
  let isGone = false
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      try {
        await follow(
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

type After = NonNullable<ReturnType<typeof FollowEvents.shape.after.parse>>

async function follow(
  ctx: Ctx,
  wanted: { types?: string[]; store?: string; after: After },
  send: (text: string) => void,
  isGone: () => boolean,
  isOpen: () => Promise<boolean>,
): Promise<void> {
  send("retry: 1000\n\n")
  let { after } = wanted
  for (let left = CONNECTION_SECONDS; left > 0 && !isGone(); left -= SESSION_CHECK_SECONDS) {
    // Both ask the database at once, so the check adds no round trip to a page of events.
    const [feed, mayGoOn] = await Promise.all([
      readFeed(ctx, { ...wanted, after, limit: 50, wait: SESSION_CHECK_SECONDS }, isGone),
      isOpen(),
    ])
    if (!mayGoOn) return
    after = { kind: "seq", seq: feed.next }
    const cursor = cursorOf(feed.next)
    // A page is one message under its cursor: a cut within it brings the whole of it again, and nobody saw half.
    send(
      feed.payloads.length
        ? `id: ${cursor}\ndata: [${feed.payloads.join(",")}]\n\n`
        : `id: ${cursor}\n: nothing new\n\n`,
    )
  }
}
