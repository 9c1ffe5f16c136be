// Long texts in queries: D1 refuses long patterns and deep expressions, and no list answers such a text with a 500.
import { expect, test } from "vitest"
import type * as z from "zod"
import { contentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { platform as surface } from "../../src/platform/app"
import { filtersOf, walk } from "../console/every-page"
import { someOfEverything } from "../console/sample-data"
import { signIn } from "../console/support"
import { platform } from "../support/app"
import { makeSite } from "../support/content-writes"
import { makeEndpoint, makeKey } from "../support/factories"
import { makeDelivery } from "../support/webhook-factories"

/** 255 characters of two, three and four bytes, and what means something in a pattern. */
const TEXTS = ["é".repeat(255), "漢".repeat(255), "😀".repeat(255), `${"%_*?['\"".repeat(36)}abc`]

/** A path below the base of its API. */
const below = (path: string) => path.replace(/^\/api\/(platform\/)?v1/, "")

/** The addresses of a route's query, each parameter by itself with each text. */
const queriesOf = ({ input }: RouteInfo): string[] =>
  Object.keys((input.query as z.ZodObject | undefined)?.shape ?? {}).flatMap((name) =>
    TEXTS.map((text) => `?${name}=${encodeURIComponent(text)}`),
  )

test("no query parameter of the control plane's lists answers a long text with a 500", async () => {
  const token = await makeKey()
  const store = (await makeSite()).store
  const { id: endpoint } = await makeEndpoint()
  const { id: delivery } = await makeDelivery(endpoint)
  const wrong: string[] = []
  let asked = 0
  for (const route of routeTable(surface).filter(({ method }) => method === "GET")) {
    const path = below(route.path)
    const id = path.startsWith("/stores") ? store : path.startsWith("/webhooks/d") ? delivery : endpoint
    for (const query of queriesOf(route)) {
      const { status } = await platform("GET", path.replace(":id", String(id)) + query, { token })
      if (status !== 404) asked++
      if (status >= 500) wrong.push(route.path + query)
    }
  }
  expect(wrong).toEqual([])
  expect(asked).toBeGreaterThan(40)
}, 240_000)

test("no query parameter of the content API's lists answers a long text with a 500", async () => {
  const site = await makeSite()
  const staff = await site.user({ isStaff: true })
  const wrong: string[] = []
  let asked = 0
  const lists = routeTable(await contentRoutes()).filter(({ method, path }) => method === "GET" && !path.includes(":"))
  for (const route of lists) {
    for (const query of queriesOf(route)) {
      const { status } = await site.send("GET", below(route.path) + query, staff)
      if (status !== 404) asked++
      if (status >= 500) wrong.push(route.path + query)
    }
  }
  expect(wrong).toEqual([])
  expect(asked).toBeGreaterThan(40)
}, 240_000)

test("no filter of the console's lists answers a long text with a 500", async () => {
  await someOfEverything()
  const admin = await signIn()
  const pages = await walk(admin.get, 1)
  const filters = [...pages].flatMap(([path, html]) => filtersOf(path, html))
  const names = new Set(
    filters.map((filter) => /^([^?]+\?\w+)=[^&]*$/.exec(filter)?.[1]).filter((name) => name !== undefined),
  )
  const wrong: string[] = []
  for (const name of names) {
    for (const text of TEXTS) {
      const { status } = await admin.get(`${name}=${encodeURIComponent(text)}`)
      if (status >= 500) wrong.push(`${name}=${text}`)
    }
  }
  expect(wrong).toEqual([])
  expect([...names]).toContain("/console/deliveries?error")
}, 240_000)
