// Long strings in list queries never cause a 500, although D1 refuses long patterns and deep expressions.
import { expect, test } from "vitest"
import type * as z from "zod"
import { loadContentRoutes } from "../../src/content/app"
import { type RouteInfo, routeTable } from "../../src/core/http/route"
import { platform as surface } from "../../src/platform/app"
import { crawl, getFilterUrls } from "../console/crawler"
import { createSampleData } from "../console/sample-data"
import { signIn } from "../console/support"
import { platform } from "../support/app"
import { makeSite } from "../support/content-writes"
import { makeEndpoint, makeKey } from "../support/factories"
import { makeDelivery } from "../support/webhook-factories"

/** 255 characters of two, three and four bytes, and special characters of patterns. */
const LONG_STRINGS = ["é".repeat(255), "漢".repeat(255), "😀".repeat(255), `${"%_*?['\"".repeat(36)}abc`]

/** Removes the base path of the API. */
const stripBasePath = (path: string) => path.replace(/^\/api\/(platform\/)?v1/, "")

/** Builds a query for each parameter of a route and each long string. */
const buildQueries = ({ input }: RouteInfo): string[] =>
  Object.keys((input.query as z.ZodObject | undefined)?.shape ?? {}).flatMap((name) =>
    LONG_STRINGS.map((text) => `?${name}=${encodeURIComponent(text)}`),
  )

test("control plane lists return no 500 for a long string in any query parameter", async () => {
  const token = await makeKey()
  const store = (await makeSite()).store
  const { id: endpoint } = await makeEndpoint()
  const { id: delivery } = await makeDelivery(endpoint)
  const failures: string[] = []
  let requests = 0
  for (const route of routeTable(surface).filter(({ method }) => method === "GET")) {
    const path = stripBasePath(route.path)
    const id = path.startsWith("/stores") ? store : path.startsWith("/webhooks/d") ? delivery : endpoint
    for (const query of buildQueries(route)) {
      const { status } = await platform("GET", path.replace(":id", String(id)) + query, { token })
      if (status !== 404) requests++
      if (status >= 500) failures.push(route.path + query)
    }
  }
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(40)
}, 240_000)

test("content API lists return no 500 for a long string in any query parameter", async () => {
  const site = await makeSite()
  const staff = await site.createUser({ isStaff: true })
  const failures: string[] = []
  let requests = 0
  const lists = routeTable(await loadContentRoutes()).filter(
    ({ method, path }) => method === "GET" && !path.includes(":"),
  )
  for (const route of lists) {
    for (const query of buildQueries(route)) {
      const { status } = await site.send("GET", stripBasePath(route.path) + query, staff)
      if (status !== 404) requests++
      if (status >= 500) failures.push(route.path + query)
    }
  }
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(40)
}, 240_000)

test("console lists return no 500 for a long string in any filter", async () => {
  await createSampleData()
  const admin = await signIn()
  const pages = await crawl(admin.get, 1)
  const filters = [...pages].flatMap(([path, html]) => getFilterUrls(path, html))
  const names = new Set(
    filters.map((filter) => /^([^?]+\?\w+)=[^&]*$/.exec(filter)?.[1]).filter((name) => name !== undefined),
  )
  const failures: string[] = []
  for (const name of names) {
    for (const text of LONG_STRINGS) {
      const { status } = await admin.get(`${name}=${encodeURIComponent(text)}`)
      if (status >= 500) failures.push(`${name}=${text}`)
    }
  }
  expect(failures).toEqual([])
  expect([...names]).toContain("/console/deliveries?error")
}, 240_000)
