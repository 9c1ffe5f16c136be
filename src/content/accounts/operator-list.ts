// Lists and reads the users of a site for operators.
import { and, desc, eq } from "drizzle-orm"
import * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
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

const { id, email, firstName, lastName, isStaff, role, phone, emailVerifiedAt, disabledAt, createdAt } = users

/** The fields of a user that operators see, without the password's hash and the fields of the app's profile. */
const COLUMNS = { id, email, firstName, lastName, isStaff, role, phone, emailVerifiedAt, disabledAt, createdAt }

/** Lists a page of users, newest first, and whether older ones follow. */
export async function listUsers({ db }: Pick<SiteRef, "db">, input: z.output<typeof SearchUsers>) {
  const rows = await db
    .select(COLUMNS)
    .from(users)
    .where(
      and(
        input.email ? eq(users.emailKey, normalizeEmail(input.email)) : undefined,
        input.kind && eq(isStaff, input.kind === "staff"),
      ),
    )
    .orderBy(desc(id))
    .limit(USERS_PAGE_SIZE + 1)
    .offset((input.page - 1) * USERS_PAGE_SIZE)
  return { rows: rows.slice(0, USERS_PAGE_SIZE), hasMore: rows.length > USERS_PAGE_SIZE }
}

/**
 * Reads a user.
 * @throws Refusal `not_found`
 */
export async function readUser({ db }: Pick<SiteRef, "db">, segment: string) {
  const [user] = await db
    .select(COLUMNS)
    .from(users)
    .where(eq(id, rowId(segment)))
  if (!user) throw new Refusal("not_found")
  return user
}
