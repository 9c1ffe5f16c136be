// The user behind a bearer token. The token is looked up in the very batch that reads or writes the user's data, so that knowing
// who asks costs no round trip of its own: a read sees the user's id as SQL, and a write begins with a statement that ends it all.
import { and, eq, getTableColumns, gt, isNotNull, isNull, or, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Context, MiddlewareHandler } from "hono"
import { Refusal } from "../core/http/refusal"
import { adding } from "../core/http/route"
import { afterSlowBody } from "../core/http/slow-body"
import { commitSite } from "../core/write/site-commit"
import { type Answers, batch, nearestReplica, type Read, read, type SiteDatabase, type Statement } from "../db/client"
import { isUnauthenticated } from "../db/errors"
import { compiled, given } from "../db/prepared"
import { type SupportToken, userTokens } from "../db/schema/sites/tokens"
import { users } from "../db/schema/sites/users"
import { type Write, writeSql } from "../db/write"
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
  /** Whether the request is a write of the API, which a support login may not make. */
  readonly writes: boolean
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
  ["unauthenticated", "email_unverified"],
  async (c, next) => {
    const header = c.req.header("Authorization") ?? ""
    setCaller(c, NO_TOKEN.test(header) ? NOBODY : await callerOf(c, header))
    await next()
  },
)

/** A handler of its own for each kind of route: what a route refuses is kept with its handlers. */
const knowsUser = (): MiddlewareHandler<ContentEnv> => async (c, next) => {
  setCaller(c, await callerOf(c, c.req.header("Authorization")))
  await next()
}

/** Names the caller to the route's handler, and looks the token up again when the body was slow. */
function setCaller(c: Context<ContentEnv>, caller: Caller): void {
  const { ctx } = c.var
  const { token } = caller
  const lookUpAgain = afterSlowBody(ctx.now, async () => {
    if (!token) return
    const found = await read(ctx.site.db, tokenRow(asking(ctx.site, token, new Date())))
    if (!found.length) throw new Refusal("unauthenticated")
  })
  const bodyArrived = async () => {
    await ctx.bodyArrived?.()
    await lookUpAgain()
  }
  c.set("ctx", { ...ctx, bodyArrived })
  c.set("userCtx", { ...ctx, bodyArrived, caller })
}

/** Stands in front of a route that needs a user: `.get("/posts", user, …)`; its handler finds `c.var.userCtx`. */
export const user: MiddlewareHandler<ContentEnv> = adding(
  { bearer: "required" },
  ["unauthenticated", "email_unverified"],
  knowsUser(),
)

/** The same for what a user may do before the address is confirmed; its verbs pass `unverified` to `authed` or `asUser`. */
export const unverifiedUser: MiddlewareHandler<ContentEnv> = adding(
  { bearer: "required" },
  ["unauthenticated"],
  knowsUser(),
)

/**
 * A user's context for what is no route of the API, such as a page.
 * @param header as `Authorization` has it
 * @throws Refusal `unauthenticated` for text that is no token
 */
export async function userCtxOf(ctx: SiteCtx, header: string): Promise<UserCtx> {
  const token = await bearerToken(header)
  if (!token) throw new Refusal("unauthenticated")
  return { ...ctx, caller: { token, known: false, writes: false } }
}

const NOBODY: Caller = { token: null, known: true, writes: false }

/** Bytes of JSON that are read and validated in no time worth speaking of. */
const SHORT_BODY = 16_000

/** Whether there is a body that takes time to read and to validate, as it may be with one of unknown length. */
function hasLongBody({ body, headers }: Request): boolean {
  if (body === null) return false
  const length = Number(headers.get("Content-Length") ?? Number.NaN)
  return !(length <= SHORT_BODY && headers.get("Content-Type")?.startsWith("application/json"))
}

/**
 * Who asks, by the header. Before a long body is read the token is looked up; otherwise in the batch that reads or writes for it.
 * @throws Refusal `unauthenticated`
 */
async function callerOf(c: Context<ContentEnv>, header: string | undefined): Promise<Caller> {
  const token = await bearerToken(header)
  const known = hasLongBody(c.req.raw)
  if (!token || (known && !(await isKnown(c.var.ctx, token)))) throw new Refusal("unauthenticated")
  return { token, known, writes: !["GET", "HEAD"].includes(c.req.method) }
}

/** Whether a token is one of the site's. A replica may not know yet what was issued a moment ago, so its no is not the last word. */
async function isKnown({ env, site, now }: SiteCtx, token: NonNullable<Caller["token"]>): Promise<boolean> {
  const find = (db: SiteDatabase) => read(db, tokenRow(asking(site, token, now)))
  const near = await find(nearestReplica(env, site.database))
  return near.length > 0 || (await find(site.db)).length > 0
}

/** What a read on behalf of a user is given: the site, and the token by which the user is found. */
export interface Asker {
  site: string
  /** Null where no token came along, as no token is. */
  tokenId: number | null
  tokenHash: string | null
  /** In milliseconds since 1970. */
  now: number
}

/** What a compiled read on behalf of the user is given. */
export const askerOf = ({ site, caller, now }: UserCtx): Asker => asking(site, caller.token, now)

const asking = ({ id }: SiteCtx["site"], token: Caller["token"], now: Date): Asker => ({
  site: id,
  tokenId: token?.id ?? null,
  tokenHash: token?.hash ?? null,
  now: now.getTime(),
})

const isTokenOf = (asker: { [Name in keyof Asker]: Exclude<Asker[Name], null> | Placeholder }) =>
  and(
    eq(userTokens.id, asker.tokenId),
    eq(userTokens.hash, asker.tokenHash),
    eq(userTokens.siteId, asker.site),
    or(isNull(userTokens.expiresAt), gt(userTokens.expiresAt, sql`${asker.now}`)),
  )

const isToken = ({ site, now }: Pick<SiteCtx, "site" | "now">, token: NonNullable<Caller["token"]>) =>
  isTokenOf({ site: site.id, tokenId: token.id, tokenHash: token.hash, now: now.getTime() })

const isGivenToken = isTokenOf({
  site: given("site"),
  tokenId: given("tokenId"),
  tokenHash: given("tokenHash"),
  now: given("now"),
})

/** The id of the user, in a compiled read that is given an asker; null where the token is none of the site's. */
export const askersId: SQL<number> = sql<number>`(select ${userTokens.userId} from ${userTokens} where ${isGivenToken})`

const tokenRow = compiled<{ id: number }, Asker>((db) =>
  db.select({ id: userTokens.id }).from(userTokens).where(isGivenToken),
)

/** The user of a token, and the operator behind it where it is a support login. */
type TokenHolder = User & { support: SupportToken | null }

const userOfToken = compiled<TokenHolder, Asker>((db) =>
  db
    .select({ ...getTableColumns(users), support: userTokens.support })
    .from(userTokens)
    .innerJoin(users, eq(users.id, userTokens.userId))
    .where(and(isGivenToken, eq(users.siteId, given("site")))),
)

/** The id of the user behind a token, as SQL; null when the token is not one of this site. */
const userIdOf = (ctx: SiteCtx, token: Caller["token"]): SQL<number> =>
  token ? sql<number>`(select ${userTokens.userId} from ${userTokens} where ${isToken(ctx, token)})` : sql<number>`null`

interface AuthOptions {
  /** Whether a user may do it whose address waits to be confirmed, at a site where addresses are. */
  unverified?: boolean
}

/**
 * Reads on behalf of the user behind the bearer token: one state of the database, one round trip.
 * @param reads given the user's id as SQL, which is null when the token is no good: so `where user_id = …` finds nothing; a compiled
 *   read has `askersId` instead, and is given `askerOf(ctx)`
 * @returns the user, the operator behind a support login (null for a login of the site's own), and what each read answers
 * @throws Refusal `unauthenticated`, then `forbidden` for a write of the API with a support login, then `email_unverified`
 */
export async function authed<const Reads extends readonly Read[] = []>(
  ctx: UserCtx,
  reads?: (userId: SQL<number>) => Reads,
  { unverified = false }: AuthOptions = {},
): Promise<{ user: User; support: SupportToken | null; answers: Answers<Reads> }> {
  const { api, db } = ctx.site
  const [[row], ...answers] = await batch(db, [
    userOfToken(askerOf(ctx)),
    ...(reads?.(userIdOf(ctx, ctx.caller.token)) ?? []),
  ])
  if (!row) throw new Refusal("unauthenticated")
  const { support, ...user } = row as TokenHolder
  if (support && ctx.caller.writes) throw new Refusal("forbidden")
  if (api.emailVerification && !user.emailVerifiedAt && !unverified) throw new Refusal("email_unverified")
  return { user, support, answers: answers as unknown as Answers<Reads> }
}

/**
 * Writes on behalf of the user behind the bearer token: one transaction, one round trip. Its first statement aborts it unless the
 * token is valid and belongs to the site's own user, so that no later write has to check again. Where no token came along and the
 * route needs none, the user's id is null.
 * @param writes given the user's id as SQL
 * @returns what each write answers
 * @throws Refusal `unauthenticated`, `forbidden` for a support login, `email_unverified`; LostRace as `commitSite` does
 */
export async function asUser<const Writes extends readonly Statement[]>(
  ctx: UserCtx,
  writes: (userId: SQL<number>) => Writes,
  options: AuthOptions = {},
): Promise<Answers<Writes>> {
  const { token } = ctx.caller
  const guard = token ? [abortUnlessUser(ctx, token, options)] : []
  try {
    const answers = await commitSite(ctx, ctx.site, { writes: [...guard, ...writes(userIdOf(ctx, token))], trail: [] })
    return answers.slice(guard.length) as Answers<Writes>
  } catch (cause) {
    if (!isUnauthenticated(cause)) throw cause
    const { support } = await authed(ctx, undefined, options)
    throw new Refusal(support ? "forbidden" : "unauthenticated")
  }
}

/** Aborts the batch, with nothing written, unless the token belongs to a user who may write; a support login never may. */
function abortUnlessUser(
  ctx: SiteCtx,
  token: NonNullable<Caller["token"]>,
  { unverified = false }: AuthOptions,
): Write {
  const confirmed = ctx.site.api.emailVerification && !unverified ? isNotNull(users.emailVerifiedAt) : undefined
  const holder = sql`select 1 from ${userTokens} join ${users} on ${users.id} = ${userTokens.userId}
    where ${and(isToken(ctx, token), isNull(userTokens.support), eq(users.siteId, ctx.site.id), confirmed)}`
  return writeSql(sql`insert into abort_stranger select 'token' where not exists (${holder})`)
}
