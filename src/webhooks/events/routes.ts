// The log of events over HTTP. The texts of events are passed on as they are kept.
import { type Context, Hono } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
import { describe, query } from "../../core/http/route"
import { deliveryResource } from "../deliveries/schemas"
import { cursorOf } from "./cursor"
import { EventAnswer, FeedAnswer, FollowEvents } from "./schemas"
import { readEvent, readFeed } from "./service"

export const events = new Hono<PlatformEnv>()
  .get(
    "/events",
    describe({
      id: "events.list",
      summary: "Read the log of events in the order of their commits, waiting for the next if there is none",
      answers: { status: 200, body: FeedAnswer },
      refuses: ["cursor_expired"],
    }),
    query(FollowEvents),
    async (c) => {
      const feed = await readFeed(c.var.ctx, c.req.valid("query"), () => c.req.raw.signal.aborted)
      const meta = JSON.stringify({ next_cursor: cursorOf(feed.next), has_more: feed.hasMore })
      return json(c, `{"data":[${feed.payloads.join(",")}],"meta":${meta}}`)
    },
  )
  .get(
    "/events/:id",
    describe({
      id: "events.get",
      summary: "Read an event, with its deliveries",
      answers: { status: 200, body: EventAnswer },
      refuses: ["not_found"],
    }),
    async (c) => {
      const { payload, deliveries } = await readEvent(c.var.ctx, c.req.param("id"))
      const meta = JSON.stringify({ deliveries: deliveries.map((delivery) => deliveryResource(delivery)) })
      return json(c, `{"data":${payload},"meta":${meta}}`)
    },
  )

const json = (c: Context<PlatformEnv>, text: string) => c.body(text, 200, { "Content-Type": "application/json" })
