// The check of every statement against D1's limits, where workerd has others.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { checkPlatformLimits, D1_LIMITS } from "../../tools/faults/limits"
import { isolate } from "../support/app"
import { takeViolations } from "../support/checked-database"

/** A site database as the Worker gets it. */
const siteBinding = () => (isolate.env as unknown as { SITES_1: D1Database }).SITES_1

const list = (count: number, item = "1") => Array.from({ length: count }, () => item).join(", ")
const problemOf = (sql: string, ...params: unknown[]): string | null => {
  try {
    checkPlatformLimits(sql, params)
    return null
  } catch (cause) {
    return (cause as Error).message
  }
}

describe("checkPlatformLimits", () => {
  test.each([
    ["32 arguments", `select json_array(${list(32)})`],
    ["32 arguments of nested functions", `select coalesce(${list(31)}, json_array(${list(32, "max(1, 2)")}))`],
    ["arguments in parentheses", `select json_array(${list(20, "(1, 2)")})`],
    ["a list of values", `select 1 in (${list(40)})`],
    ["a call in a text", `select 'json_array(${list(40)})' /* json_array(${list(40)}) */`],
    ["columns of an insert", `insert into posts (${list(40, "name")}) values (${list(40)}), (${list(40)})`],
    ["quoted columns", `insert into "posts" (${list(40, '"name"')}) select ${list(40)}`],
    ["columns of a common table expression", `with found (${list(40, "name")}) as (select 1) select * from found`],
    ["a short pattern", "select 1 where 'a' like '%a%'"],
  ])("accepts %s", (_, sql) => {
    expect(problemOf(sql)).toBeNull()
  })

  test.each([
    ["json_array", `select json_array(${list(33)})`],
    ["json_object", `select max(1, json_object(${list(34, "'a'")}))`],
    ["coalesce", `select COALESCE (${list(33, "max(1, 2)")})`],
    ["printf", `select a from b where c = 1 and printf(${list(33)})`],
  ])("rejects %s with more than 32 arguments", (name, sql) => {
    expect(problemOf(sql)).toBe(`D1_ERROR: too many arguments on function ${name}: SQLITE_ERROR`)
  })

  test("rejects LIKE and GLOB patterns of more than 50 bytes", () => {
    const problem = "D1_ERROR: LIKE or GLOB pattern too complex: SQLITE_ERROR"
    for (const operator of ["like", "LIKE", "not like", "glob"]) {
      const sql = `select ? from t where a ${operator} ? and b = ?`
      expect.soft(problemOf(sql, "x".repeat(60), `%${"a".repeat(48)}%`, "y".repeat(60)), operator).toBeNull()
      expect.soft(problemOf(sql, "", `%${"a".repeat(49)}%`, ""), operator).toBe(problem)
      expect.soft(problemOf(sql, "", "é".repeat(26), ""), operator).toBe(problem)
    }
    expect(problemOf(`select 1 where 'a' like '${"a".repeat(51)}'`)).toBe(problem)
    expect(problemOf("select 1 where 'a' like ?2", "", "a".repeat(51))).toBe(problem)
  })

  test("rejects long statements, long values and many parameters", () => {
    const tooBig = "D1_ERROR: string or blob too big: SQLITE_TOOBIG"
    expect(problemOf("select ?", "é".repeat(D1_LIMITS.valueBytes / 2))).toBeNull()
    expect(problemOf("select ?", `${"é".repeat(D1_LIMITS.valueBytes / 2)}a`)).toBe(tooBig)
    expect(problemOf("select ?", new Uint8Array(D1_LIMITS.valueBytes + 1))).toBe(tooBig)
    const half = "a".repeat(D1_LIMITS.valueBytes / 2 + 1)
    expect(problemOf("insert into posts (a, b) values (?, ?)", half, half), "the row").toBe(tooBig)
    expect(problemOf("insert into posts (a) values (?), (?)", half, half), "two rows").toBeNull()
    expect(problemOf("select ?", ...Array.from({ length: 101 }, () => 1))).toMatch("too many SQL variables")
    expect(problemOf(`select '${"a".repeat(100_000)}'`)).toMatch("statement too long")
  })
})

describe("the databases of tests", () => {
  test("fail the test that exceeds a limit, even if the Worker catches the error", async () => {
    const sql = `select json_array(${list(33)}) as found`
    expect(await env.DB.prepare(sql).first(), "workerd accepts it").toBeTruthy()
    expect(() => isolate.env.DB.prepare(sql)).toThrow("too many arguments on function json_array")
    expect(() => siteBinding().withSession().prepare("select ?").bind("a".repeat(2_000_001))).toThrow("too big")
    expect(takeViolations()).toHaveLength(2)
  })
})
