// Finds the accounts of an email address at every site, for the operators' search.
import { asc, eq, inArray, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { siteDatabase } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { users } from "../../db/schema/sites/users"
import { acrossSites } from "../../db/site-scope"
import { withDeadline } from "../../lib/deadline"
import { SECOND } from "../../lib/time"
import { CENTRAL_SITE } from "../site"
import { normalizeEmail } from "./queries"

/** Accounts of one address that are returned per site database. */
export const MAX_ACCOUNTS = 20

/** Time limit of one database. */
const TIMEOUT_MS = 3 * SECOND

const { id, siteId, email, firstName, lastName, isStaff, role } = users

/** An account, with what names it in a list. */
interface FoundAccount {
  id: number
  siteId: string
  email: string
  firstName: string
  lastName: string
  isStaff: boolean
  role: typeof users.$inferSelect.role
}

interface FoundAccounts {
  accounts: FoundAccount[]
  /** Whether a database has more accounts of the address than are returned. */
  hasMore: boolean
  /** Site databases that did not respond. */
  unavailable: string[]
}

/** Whether a text can be a complete email address, the only thing that accounts are found by. */
const isCompleteEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)

/**
 * Finds the accounts of an email address. Each site database is queried in parallel, by an index that begins with the
 * address, and returns at most `MAX_ACCOUNTS`; a partial address finds nothing.
 */
export async function findAccountsEverywhere(ctx: Ctx, text: string): Promise<FoundAccounts> {
  if (!isCompleteEmail(text)) return { accounts: [], hasMore: false, unavailable: [] }
  const names = ctx.settings.SITE_DATABASES
  const results = await Promise.allSettled(
    names.map((name) => withDeadline(TIMEOUT_MS, selectAccounts(ctx, name, normalizeEmail(text)))),
  )
  const unavailable = results.flatMap((result, index) => {
    if (result.status === "fulfilled") return []
    ctx.log.error("a site database did not respond", result.reason, { database: names[index] })
    return [names[index] ?? ""]
  })
  const found = results.flatMap((result, index) =>
    result.status === "fulfilled"
      ? result.value.slice(0, MAX_ACCOUNTS).map((account) => ({ account, database: names[index] }))
      : [],
  )
  const databases = await getDatabases(ctx, [...new Set(found.map(({ account }) => account.siteId))])
  return {
    // During a site migration, the new database has copies of a store's rows.
    accounts: found
      .filter(({ account, database }) => databases.get(account.siteId) === database)
      .map(({ account }) => account),
    hasMore: results.some((result) => result.status === "fulfilled" && result.value.length > MAX_ACCOUNTS),
    unavailable,
  }
}

const selectAccounts = async (ctx: Ctx, database: string, key: string): Promise<FoundAccount[]> =>
  siteDatabase(ctx.env, database, acrossSites("user_search"))
    .select({ id, siteId, email, firstName, lastName, isStaff, role })
    .from(users)
    .where(eq(users.emailKey, key))
    .orderBy(asc(siteId))
    .limit(MAX_ACCOUNTS + 1)

/** The database of each site; sites without one are left out. */
async function getDatabases(ctx: Ctx, sites: string[]): Promise<Map<string, string | null | undefined>> {
  const isListed = inArray(stores.id, sql`(select value from json_each(${JSON.stringify(sites)}))`)
  const rows = sites.length
    ? await ctx.db.select({ id: stores.id, database: stores.database }).from(stores).where(isListed)
    : []
  return new Map([
    [CENTRAL_SITE, ctx.settings.SITE_DATABASES[0]],
    ...rows.map((row) => [row.id, row.database] as const),
  ])
}
