// Query validation: valid, short queries are cached by their text.
import { Hono } from "hono"
import { expect, test } from "vitest"
import * as z from "zod"
import { query } from "../../src/core/http/route"

function counted() {
  const seen: string[] = []
  const given: unknown[] = []
  const q = z.string().transform((value) => {
    seen.push(value)
    return { value }
  })
  const app = new Hono().get("/", query(z.object({ q, n: z.string().regex(/^\d+$/).default("1") })), (c) => {
    given.push(c.req.valid("query"))
    return c.json(c.req.valid("query"))
  })
  app.onError((thrown) => new Response((thrown as Error).message, { status: 422 }))
  return { seen, given, ask: async (search: string) => (await app.request(`/${search}`)).status }
}

test("validates equal queries once and shares the result", async () => {
  const { seen, given, ask } = counted()
  for (const search of ["?q=a", "?q=a", "?q=a&n=2", "?n=2&q=a", "?q=a"]) expect(await ask(search)).toBe(200)
  expect(seen).toEqual(["a", "a", "a"])
  expect(given).toEqual([1, 1, 2, 2, 1].map((n) => ({ q: { value: "a" }, n: String(n) })))
  expect(given[1]).toBe(given[0])
  expect(Object.isFrozen(given[0])).toBe(true)
})

test("refuses an invalid query every time", async () => {
  const { ask } = counted()
  for (const search of ["?q=a&n=x", "?q=a&n=x", "", "?q=a&n=2", "?q=a&n=x"])
    expect(await ask(search), search).toEqual(search === "?q=a&n=2" ? 200 : 422)
})

test("caches up to two hundred queries, and no long ones", async () => {
  const { seen, ask } = counted()
  for (let n = 0; n < 2; n += 1) await ask(`?q=${"x".repeat(200)}`)
  expect(seen.splice(0)).toHaveLength(2)
  for (let n = 0; n < 2; n += 1) for (let q = 0; q < 200; q += 1) await ask(`?q=${q}`)
  expect(seen.splice(0)).toHaveLength(200)
  await ask(`?q=${"x".repeat(200)}`)
  await ask("?q=0")
  expect(seen.splice(0)).toHaveLength(1)
  await ask("?q=one more")
  for (let q = 0; q < 199; q += 1) await ask(`?q=${q}`)
  expect(seen).toHaveLength(200)
})

test("caches queries per route", async () => {
  const first = counted()
  const second = counted()
  await first.ask("?q=a")
  await second.ask("?q=a")
  expect([first.seen, second.seen]).toEqual([["a"], ["a"]])
})
