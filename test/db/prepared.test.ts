// Prepared statements: built once, bound for every request, with constants that SQLite can plan with.
import { env } from "cloudflare:workers"
import { and, asc, eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { writeUnaudited } from "../../src/core/write/commit"
import { batch, type CentralDatabase, read } from "../../src/db/client"
import { param, prepareRead, prepareWrite } from "../../src/db/prepared"
import { domains } from "../../src/db/schema/central/domains"
import { update } from "../../src/db/write"
import { run } from "../support/app"
import { rows } from "../support/rows"

const QUOTED = "o'neil?.example"

beforeEach(async () => {
  const names = ["a.example", "b.example", "c.example", QUOTED]
  await env.DB.batch(
    names.map((name, index) =>
      env.DB.prepare(
        "insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at) values (?, 'marlow', ?, 0, ?, 1)",
      ).bind(name, index === 0 ? 1 : 0, index === 0 ? 1_000 : null),
    ),
  )
})

describe("a prepared read", () => {
  test("is composed on first use and bound to the values of each call", async () => {
    const compose = vi.fn((db: CentralDatabase) =>
      db
        .select({ domain: domains.domain })
        .from(domains)
        .where(eq(domains.domain, param("name"))),
    )
    const select = prepareRead<{ domain: string }, { name: string }>(compose)
    expect(compose).not.toHaveBeenCalled()
    for (const name of ["a.example", "b.example", "none.example"]) {
      const found = await run(({ db }) => read(db, select({ name })))
      expect(found).toEqual(name === "none.example" ? [] : [{ domain: name }])
    }
    expect(compose).toHaveBeenCalledOnce()
  })

  test("decodes dates and flags, alone and in a batch, as Drizzle does", async () => {
    const select = prepareRead<typeof domains.$inferSelect, object>((db) =>
      db.select().from(domains).orderBy(asc(domains.id)),
    )
    const expected = await drizzle(env.DB).select().from(domains).orderBy(asc(domains.id))
    expect(expected[0]).toMatchObject({ isPrimary: true, isFallback: false, verifiedAt: new Date(1_000) })
    expect(await run(({ db }) => read(db, select({})))).toEqual(expected)
    expect(await run(({ db }) => batch(db, [select({}), select({})]))).toEqual([expected, expected])
  })

  test("binds a limit and an offset", async () => {
    const select = prepareRead<{ domain: string }, { limit: number; offset: number }>((db) =>
      db
        .select({ domain: domains.domain })
        .from(domains)
        .orderBy(asc(domains.id))
        .limit(param("limit"))
        .offset(param("offset")),
    )
    const found = await run(({ db }) => read(db, select({ limit: 2, offset: 1 })))
    expect(found).toEqual([{ domain: "b.example" }, { domain: "c.example" }])
  })

  test("compares with constants that contain quotes and question marks, among bound values", async () => {
    const select = prepareRead<{ domain: string }, { store: string }>((db) =>
      db
        .select({ domain: domains.domain })
        .from(domains)
        .where(and(eq(domains.domain, QUOTED), eq(domains.storeId, param("store")))),
    )
    expect(await run(({ db }) => read(db, select({ store: "marlow" })))).toEqual([{ domain: QUOTED }])
    expect(await run(({ db }) => read(db, select({ store: "other" })))).toEqual([])
  })

  test("binds only what changes between calls, because SQLite plans again for each bound constant", async () => {
    const select = prepareRead<{ domain: string }, { limit: number }>((db) =>
      db
        .select({ domain: domains.domain })
        .from(domains)
        .where(eq(domains.isFallback, false))
        .orderBy(asc(domains.domain))
        .limit(param("limit")),
    )
    const { sql, params } = select({ limit: 1 })
    expect(params).toEqual([1])
    const plan = await rows(`explain query plan ${sql}`, ...params)
    expect(plan.map(({ detail }) => detail)).toEqual(["SCAN domains USING COVERING INDEX domains_custom_name"])
  })

  test("refuses columns that D1 would return under one name", () => {
    const select = prepareRead<unknown, object>((db) =>
      db.select({ first: { id: domains.id }, second: { id: domains.id } }).from(domains),
    )
    expect(() => select({})).toThrow("each column needs an alias")
  })
})

test("a prepared write is composed once, bound to the values of each call, and returns decoded rows", async () => {
  const compose = vi.fn(() =>
    update(domains)
      .set({ isPrimary: true })
      .where(eq(domains.domain, param("name")))
      .returning({ domain: domains.domain, isPrimary: domains.isPrimary }),
  )
  const makePrimary = prepareWrite<{ domain: string; isPrimary: boolean }[], { name: string }>(compose)
  for (const name of ["b.example", "c.example"]) {
    const results = await run((ctx) => writeUnaudited(ctx, "coordination", [makePrimary({ name })]))
    expect(results).toEqual([[{ domain: name, isPrimary: true }]])
  }
  expect(compose).toHaveBeenCalledOnce()
  expect(await rows("select domain from domains where is_primary = 1 order by 1")).toEqual([
    { domain: "a.example" },
    { domain: "b.example" },
    { domain: "c.example" },
  ])
})
