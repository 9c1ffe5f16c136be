// Routes of the event log. Payloads are returned exactly as stored.
import type { Context } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { acceptedLocale } from "../../core/i18n/locale"
import { deliveryResource } from "../deliveries/schemas"
import { encodeCursor } from "./cursor"
import { EventResponse, FeedResponse, ListEvents } from "./schemas"
import { readEvent, readFeed } from "./service"

export const events = createRouter<PlatformEnv>()
  .get(
    "/events",
    describe({
      id: "events.list",
      summary: "List events",
      responses: { status: 200, body: FeedResponse },
      refuses: ["cursor_expired"],
    }),
    query(ListEvents),
    async (c) => {
      const { ctx, key } = c.var
      const isGone = () => c.req.raw.signal.aborted
      const feed = await readFeed(ctx, c.req.valid("query"), { storeSeqs: key.storeSeqs, isGone })
      const meta = JSON.stringify({ next_cursor: encodeCursor(feed.next), has_more: feed.hasMore })
      return json(c, `{"data":[${feed.payloads.join(",")}],"meta":${meta}}`)
    },
  )
  .get(
    "/events/:id",
    describe({
      id: "events.get",
      summary: "Retrieve an event",
      responses: { status: 200, body: EventResponse },
      refuses: ["not_found"],
    }),
    async (c) => {
      const { payload, deliveries } = await readEvent(c.var.ctx, c.req.param("id"), {
        storeSeqs: c.var.key.storeSeqs,
      })
      const locale = acceptedLocale(c.req.header("Accept-Language"))
      const meta = JSON.stringify({ deliveries: deliveries.map((delivery) => deliveryResource(delivery, locale)) })
      return json(c, `{"data":${payload},"meta":${meta}}`)
    },
  )

const json = (c: Context<PlatformEnv>, text: string) => c.body(text, 200, { "Content-Type": "application/json" })
