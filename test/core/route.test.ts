// Query validation: valid, short queries are cached by their string.
import { Hono } from "hono"
import { expect, test } from "vitest"
import * as z from "zod"
import { query } from "../../src/core/http/route"

function createApp() {
  const parsedValues: string[] = []
  const results: unknown[] = []
  const q = z.string().transform((value) => {
    parsedValues.push(value)
    return { value }
  })
  const app = new Hono().get("/", query(z.object({ q, n: z.string().regex(/^\d+$/).default("1") })), (c) => {
    results.push(c.req.valid("query"))
    return c.json(c.req.valid("query"))
  })
  app.onError((thrown) => new Response((thrown as Error).message, { status: 422 }))
  return { parsedValues, results, send: async (search: string) => (await app.request(`/${search}`)).status }
}

test("validates equal queries once and shares the result", async () => {
  const { parsedValues, results, send } = createApp()
  for (const search of ["?q=a", "?q=a", "?q=a&n=2", "?n=2&q=a", "?q=a"]) expect(await send(search)).toBe(200)
  expect(parsedValues).toEqual(["a", "a", "a"])
  expect(results).toEqual([1, 1, 2, 2, 1].map((n) => ({ q: { value: "a" }, n: String(n) })))
  expect(results[1]).toBe(results[0])
  expect(Object.isFrozen(results[0])).toBe(true)
})

test("refuses an invalid query every time", async () => {
  const { send } = createApp()
  for (const search of ["?q=a&n=x", "?q=a&n=x", "", "?q=a&n=2", "?q=a&n=x"])
    expect(await send(search), search).toEqual(search === "?q=a&n=2" ? 200 : 422)
})

test("caches up to two hundred queries, and no long ones", async () => {
  const { parsedValues, send } = createApp()
  for (let n = 0; n < 2; n += 1) await send(`?q=${"x".repeat(200)}`)
  expect(parsedValues.splice(0)).toHaveLength(2)
  for (let n = 0; n < 2; n += 1) for (let q = 0; q < 200; q += 1) await send(`?q=${q}`)
  expect(parsedValues.splice(0)).toHaveLength(200)
  await send(`?q=${"x".repeat(200)}`)
  await send("?q=0")
  expect(parsedValues.splice(0)).toHaveLength(1)
  await send("?q=one more")
  for (let q = 0; q < 199; q += 1) await send(`?q=${q}`)
  expect(parsedValues).toHaveLength(200)
})

test("caches queries per route", async () => {
  const first = createApp()
  const second = createApp()
  await first.send("?q=a")
  await second.send("?q=a")
  expect([first.parsedValues, second.parsedValues]).toEqual([["a"], ["a"]])
})
