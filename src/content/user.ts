// The user behind a bearer token. The token is looked up in the very batch that reads or writes the user's data, so that
// knowing who asks costs no round trip of its own; statements see the user's id as SQL, and nothing at all when the token is no good.
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type { Context, MiddlewareHandler } from "hono"
import { Refusal } from "../core/refusal"
import { adding } from "../core/route"
import { type Answers, batch, nearestReplica, type SiteDatabase, type Statement } from "../db/client"
import { userTokens } from "../db/schema/sites/tokens"
import { users } from "../db/schema/sites/users"
import { sha256 } from "../lib/hash"
import type { SiteCtx } from "./site"
import type { ContentEnv } from "./types"

export type User = typeof users.$inferSelect

/** Who asks. */
interface Caller {
  /** The presented bearer token; null for none. */
  readonly token: { id: number; hash: string } | null
  /** Whether the token was found good before the request's body was read. */
  readonly known: boolean
}

export interface UserCtx extends SiteCtx {
  readonly caller: Caller
}

const BEARER = /^Bearer\s+([1-9]\d{0,14})\|([0-9A-Za-z]{48})\s*$/i

/** The token in an `Authorization` header, `<id>|<48 characters>`; null for anything else. */
async function bearerToken(header: string | undefined): Promise<Caller["token"]> {
  const [, id, secret] = BEARER.exec(header ?? "") ?? []
  return id && secret ? { id: Number(id), hash: await sha256(secret) } : null
}

/** Apps send `Bearer` with nothing behind it before their user has logged in. */
const NO_TOKEN = /^(Bearer)?\s*$/i

/** Stands in front of a route that is open to all and knows a user by the token, when there is one. */
export const visitor: MiddlewareHandler<ContentEnv> = adding(
  { bearer: "optional" },
  ["unauthenticated"],
  async (c, next) => {
    const header = c.req.header("Authorization") ?? ""
    c.set("userCtx", { ...c.var.ctx, caller: NO_TOKEN.test(header) ? NOBODY : await callerOf(c, header) })
    await next()
  },
)

/** Stands in front of a route that needs a user: `.get("/me", user, …)`; its handler finds `c.var.userCtx`. */
export const user: MiddlewareHandler<ContentEnv> = adding(
  { bearer: "required" },
  ["unauthenticated"],
  async (c, next) => {
    c.set("userCtx", { ...c.var.ctx, caller: await callerOf(c, c.req.header("Authorization")) })
    await next()
  },
)

/**
 * A user's context for what is no route of the API, such as a page.
 * @param header as `Authorization` has it
 * @throws Refusal `unauthenticated` for text that is no token
 */
export async function userCtxOf(ctx: SiteCtx, header: string): Promise<UserCtx> {
  const token = await bearerToken(header)
  if (!token) throw new Refusal("unauthenticated")
  return { ...ctx, caller: { token, known: false } }
}

const NOBODY: Caller = { token: null, known: true }

/**
 * Who asks, by the header. A body takes time to read and to validate, and a token that was made up is not worth it: where there
 * is one, the token is looked up first.
 * @throws Refusal `unauthenticated`
 */
async function callerOf(c: Context<ContentEnv>, header: string | undefined): Promise<Caller> {
  const token = await bearerToken(header)
  const known = c.req.raw.body !== null
  if (!token || (known && !(await isKnown(c.var.ctx, token)))) throw new Refusal("unauthenticated")
  return { token, known }
}

/** Whether a token is one of the site's. A replica may not know yet what was issued a moment ago, so its no is not the last word. */
async function isKnown({ env, site }: SiteCtx, token: NonNullable<Caller["token"]>): Promise<boolean> {
  const find = (db: SiteDatabase) => db.select({ id: userTokens.id }).from(userTokens).where(isToken(site.id, token))
  const near = await find(nearestReplica(env, site.database))
  return near.length > 0 || (await find(site.db)).length > 0
}

const isToken = (siteId: string, token: NonNullable<Caller["token"]>) =>
  and(eq(userTokens.id, token.id), eq(userTokens.hash, token.hash), eq(userTokens.siteId, siteId))

/** The id of the user behind a token, as SQL; null when the token is not one of this site. */
const userIdOf = (ctx: SiteCtx, token: Caller["token"]): SQL<number> =>
  token
    ? sql<number>`(select ${userTokens.userId} from ${userTokens} where ${isToken(ctx.site.id, token)})`
    : sql<number>`null`

/**
 * Runs statements on behalf of the user behind the bearer token: one transaction, one round trip.
 * @param statements given the user's id as SQL, which is null when the token is no good: so `where user_id = …` finds
 *   nothing, and an insert must be `insert … select … where … is not null`
 * @returns the user, and each statement's answer
 * @throws Refusal `unauthenticated`
 */
export async function authed<const Statements extends readonly Statement[] = []>(
  ctx: UserCtx,
  statements?: (userId: SQL<number>) => Statements,
): Promise<{ user: User; answers: Answers<Statements> }> {
  const { user, answers } = await identified(ctx, statements)
  if (!user) throw new Refusal("unauthenticated")
  return { user, answers }
}

/**
 * The same on a route that is open to all.
 * @param statements given the user's id as SQL, which is null when no token came along or it is no good
 * @returns the user, or null when no token came along
 * @throws Refusal `unauthenticated` for a token that is no good
 */
export async function identified<const Statements extends readonly Statement[] = []>(
  ctx: UserCtx,
  statements?: (userId: SQL<number>) => Statements,
): Promise<{ user: User | null; answers: Answers<Statements> }> {
  const { db, id: siteId } = ctx.site
  const userId = userIdOf(ctx, ctx.caller.token)
  const [found, ...answers] = await batch(db, [
    db
      .select(getTableColumns(users))
      .from(users)
      .where(and(eq(users.id, userId), eq(users.siteId, siteId))),
    ...(statements?.(userId) ?? []),
  ])
  const [user = null] = found as User[]
  if (ctx.caller.token && !user) throw new Refusal("unauthenticated")
  return { user, answers: answers as Answers<Statements> }
}
