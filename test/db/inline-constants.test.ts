// Prepared statements inline constants, because SQLite re-plans when a parameter that affects the plan is bound.
import { and, eq, sql } from "drizzle-orm"
import { expect, test } from "vitest"
import { param, prepareRead } from "../../src/db/prepared"
import { domains } from "../../src/db/schema/central/domains"

test("inlines constants with quotes and question marks, and turns a limit into a sum", () => {
  const read = prepareRead<{ domain: string }, { store: string; limit: number; offset: number }>((db) =>
    db
      .select({ domain: domains.domain })
      .from(domains)
      .where(
        and(
          eq(domains.isPrimary, true),
          eq(domains.domain, "o'neil?"),
          eq(domains.storeId, param("store")),
          sql`${domains.domain} <> '?'`,
        ),
      )
      .limit(param("limit"))
      .offset(param("offset")),
  )
  const { sql: text, params } = read({ store: "marlow", limit: 2, offset: 4 })
  expect(text).toBe(
    `select "domain" from "domains" where ("domains"."is_primary" = 1 and "domains"."domain" = 'o''neil?' and "domains"."store_id" = ? and "domains"."domain" <> '?') limit (? + 0) offset (? + 0)`,
  )
  expect(params).toEqual(["marlow", 2, 4])
})
