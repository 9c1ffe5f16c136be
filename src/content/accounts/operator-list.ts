// Lists a site's users for operators.
import { and, desc, eq } from "drizzle-orm"
import * as z from "zod"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { users } from "../../db/schema/sites/users"
import type { SiteRef } from "../site"
import { normalizeEmail } from "./queries"

export const USERS_PAGE_SIZE = 50

export const SearchUsers = z.object({
  /** A complete email address. */
  email: queryText,
  kind: queryChoice(["staff", "customers"]),
  page: queryNumber(100_000).default(1),
})

/** Lists a page of users, newest first and without password hashes, and whether older ones follow. */
export async function listUsers({ db }: SiteRef, input: z.output<typeof SearchUsers>) {
  const { email, firstName, lastName, isStaff, emailVerifiedAt, createdAt } = users
  const rows = await db
    .select({ id: users.id, email, firstName, lastName, isStaff, emailVerifiedAt, createdAt })
    .from(users)
    .where(
      and(
        input.email ? eq(users.emailKey, normalizeEmail(input.email)) : undefined,
        input.kind && eq(isStaff, input.kind === "staff"),
      ),
    )
    .orderBy(desc(users.id))
    .limit(USERS_PAGE_SIZE + 1)
    .offset((input.page - 1) * USERS_PAGE_SIZE)
  return { rows: rows.slice(0, USERS_PAGE_SIZE), hasMore: rows.length > USERS_PAGE_SIZE }
}
