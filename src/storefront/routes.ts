// A store's own host, in a visitor's browser.
import { Hono } from "hono"
import { hostOf, siteOf } from "../core/host"
import type { Env } from "../env"
import { accessState } from "../platform/stores/schemas"

export const storefront = new Hono<{ Bindings: Env }>().get("*", async (c) => {
  const host = hostOf(c.env, c.req.url)
  if (host.kind === "central") return c.notFound()
  const site = await siteOf(c.env, host.hostname)
  if (!site) return c.notFound()
  return c.text(site.store.name, accessState(site.store.status) === "serving" ? 200 : 503)
})
