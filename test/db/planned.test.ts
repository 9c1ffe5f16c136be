// What is composed once is planned once: SQLite looks at the values of the parameters that it plans by, and plans anew with each of them.
import { and, eq, sql } from "drizzle-orm"
import { expect, test } from "vitest"
import { compiled, given } from "../../src/db/prepared"
import { domains } from "../../src/db/schema/central/domains"

test("constants stand in the text, quotes and question marks as they are, and a limit is a sum", () => {
  const read = compiled<{ domain: string }, { store: string; most: number; start: number }>((db) =>
    db
      .select({ domain: domains.domain })
      .from(domains)
      .where(
        and(
          eq(domains.isPrimary, true),
          eq(domains.domain, "o'neil?"),
          eq(domains.storeId, given("store")),
          sql`${domains.domain} <> '?'`,
        ),
      )
      .limit(given("most"))
      .offset(given("start")),
  )
  const { sql: text, params } = read({ store: "marlow", most: 2, start: 4 })
  expect(text).toBe(
    `select "domain" from "domains" where ("domains"."is_primary" = 1 and "domains"."domain" = 'o''neil?' and "domains"."store_id" = ? and "domains"."domain" <> '?') limit (? + 0) offset (? + 0)`,
  )
  expect(params).toEqual(["marlow", 2, 4])
})
