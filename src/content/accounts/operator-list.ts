// A site's people, as an operator lists them.
import { and, desc, eq } from "drizzle-orm"
import * as z from "zod"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { users } from "../../db/schema/sites/users"
import type { SiteRef } from "../site"
import { emailKey } from "./queries"

export const USERS_PAGE = 50

export const SearchUsers = z.object({
  /** A whole e-mail address. */
  email: queryText,
  kind: queryChoice(["staff", "customers"]),
  page: queryNumber(100_000).default(1),
})

/** A page of users, the newest first, never with their password's hash; and whether older ones follow. */
export async function listUsers({ db, id }: SiteRef, input: z.output<typeof SearchUsers>) {
  const { siteId, email, firstName, lastName, isStaff, emailVerifiedAt, createdAt } = users
  const rows = await db
    .select({ id: users.id, email, firstName, lastName, isStaff, emailVerifiedAt, createdAt })
    .from(users)
    .where(
      and(
        eq(siteId, id),
        input.email ? eq(users.emailKey, emailKey(input.email)) : undefined,
        input.kind && eq(isStaff, input.kind === "staff"),
      ),
    )
    .orderBy(desc(users.id))
    .limit(USERS_PAGE + 1)
    .offset((input.page - 1) * USERS_PAGE)
  return { rows: rows.slice(0, USERS_PAGE), more: rows.length > USERS_PAGE }
}
