// Authenticates users by bearer token. The token is looked up in the same batch that reads or writes the user's data,
// so authentication costs no extra round trip: reads get the user's id as a subquery, and a write batch starts with a
// statement that aborts it when the token is invalid.

import {
  and,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  type Placeholder,
  type SQL,
  sql,
} from "drizzle-orm"
import type { Context, MiddlewareHandler } from "hono"
import type { Ctx } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { withTraits } from "../core/http/route"
import { afterSlowBody } from "../core/http/slow-body"
import type { SiteAudit } from "../core/write/audit"
import type { AuditLog } from "../core/write/commit"
import { commitSite } from "../core/write/site-commit"
import type { ShopEventDraft } from "../core/write/site-events"
import { batch, nearestReplica, type Read, type Results, read, type SiteDatabase, type Statement } from "../db/client"
import { isUnauthenticated } from "../db/errors"
import { param, prepareSiteRead } from "../db/prepared"
import { type SupportToken, userTokens } from "../db/schema/sites/tokens"
import { type StaffRole, users } from "../db/schema/sites/users"
import { type Write, writeSql } from "../db/write"
import { getFallbackHost, publicUrl } from "../env"
import { currentTime } from "../lib/clock"
import { sha256 } from "../lib/hash"
import { HOST_LABEL } from "../lib/hostname"
import { CENTRAL_SITE, pinToStore, resolveSite, type SiteCtx } from "./site"
import { hasRole, rolesFrom } from "./staff/rules"
import type { ContentEnv } from "./types"

export type User = typeof users.$inferSelect

type OperatorRole = "viewer" | "admin"

/** The caller of a request, as its `Authorization` header presents it. */
interface Caller {
  /** The presented bearer token; null for none. */
  readonly token: { id: number; hash: string } | null
  /** Whether the token was verified before the request's body was read. True where no token was sent. */
  readonly isVerified: boolean
  /** Whether the request is an API write. Support logins may not make any. */
  readonly isWrite: boolean
  /**
   * The operator's rights as if staff of the site, without a user there: the role `viewer` only reads, `admin` also
   * changes. Missing for all other callers.
   */
  readonly operatorRole?: OperatorRole
}

export interface UserCtx extends SiteCtx {
  readonly caller: Caller
}

const BEARER = /^Bearer\s+([1-9]\d{0,14})\|([0-9A-Za-z]{48})\s*$/i

/** Parses the token in an `Authorization` header, `<id>|<48 characters>`; null for anything else. */
async function parseBearerToken(header: string | undefined): Promise<Caller["token"]> {
  const [, id, secret] = BEARER.exec(header ?? "") ?? []
  return id && secret ? { id: Number(id), hash: await sha256(secret) } : null
}

/** Identifies the user on a route that is open to anonymous callers too; its handler uses `withOptionalUser`. */
export const optionalUser: MiddlewareHandler<ContentEnv> = withTraits(
  { bearer: "optional" },
  ["email_unverified"],
  async (c, next) => {
    const token = await parseBearerToken(c.req.header("Authorization"))
    // The write verifies the token, so there is nothing to verify before it.
    const caller = token ? { token, isVerified: true, isWrite: true } : ANONYMOUS
    c.set("userCtx", { ...c.var.ctx, caller })
    await next()
  },
)

/**
 * Runs work for the user of a request, or anonymously if its token is no longer valid: apps send the token that they
 * have, and a 401 on a public route would log them out.
 */
export async function withOptionalUser<Result>(ctx: UserCtx, work: (ctx: UserCtx) => Promise<Result>): Promise<Result> {
  try {
    return await work(ctx)
  } catch (cause) {
    const isStale = ctx.caller.token && cause instanceof Refusal && cause.code === "unauthenticated"
    if (!isStale) throw cause
    return work({ ...ctx, caller: ANONYMOUS })
  }
}

/** Creates a new handler for each kind of route, because the refusals of a route are attached to its handlers. */
const createUserMiddleware = (): MiddlewareHandler<ContentEnv> => async (c, next) => {
  await setCallerOf(c, c.req.header("Authorization"))
  await next()
}

/**
 * Sets the caller of a request by its `Authorization` header.
 * @throws Refusal `unauthenticated`
 */
export async function setCallerOf(c: Context<ContentEnv>, header: string | undefined): Promise<void> {
  setCaller(c, await resolveCaller(c, header))
}

/** Sets the caller in the context, and verifies the token again when the body was slow to arrive. */
function setCaller(c: Context<ContentEnv>, caller: Caller): void {
  const { ctx } = c.var
  const { token } = caller
  const verifyAgain = afterSlowBody(ctx.now, async () => {
    if (!token) return
    const rows = await read(ctx.site.db, selectToken(toCallerParams(ctx.site, token, currentTime())))
    if (!rows.length) throw new Refusal("unauthenticated")
  })
  const bodyArrived = async () => {
    await ctx.bodyArrived?.()
    await verifyAgain()
  }
  c.set("ctx", { ...ctx, bodyArrived })
  c.set("userCtx", { ...ctx, bodyArrived, caller })
}

/** Requires a user: `.get("/posts", user, …)`. The handler finds `c.var.userCtx`. */
export const user: MiddlewareHandler<ContentEnv> = withTraits(
  { bearer: "required" },
  ["unauthenticated", "email_unverified"],
  createUserMiddleware(),
)

/**
 * Requires a user, whose email address may be unconfirmed. Its service functions pass `allowUnverified` to
 * `authenticate` or `writeAsUser`.
 */
export const unverifiedUser: MiddlewareHandler<ContentEnv> = withTraits(
  { bearer: "required" },
  ["unauthenticated"],
  createUserMiddleware(),
)

/**
 * Creates a user's context outside the API, for example for a page.
 * @param header the value of an `Authorization` header
 * @throws Refusal `unauthenticated` for a malformed token
 */
export async function createUserCtx(ctx: SiteCtx, header: string): Promise<UserCtx> {
  const token = await parseBearerToken(header)
  if (!token) throw new Refusal("unauthenticated")
  return { ...ctx, caller: { token, isVerified: false, isWrite: false } }
}

/**
 * Creates the context in which an operator calls the functions of a site's staff. The operator stays the actor of the
 * audit log.
 * @param id of a store, or `central`
 * @param operatorRole the role in the staff that the operator acts with; only `admin` can change something
 * @throws Refusal `not_found`; `store_unavailable` when it has no database yet
 */
export async function createOperatorCtx(ctx: Ctx, id: string, operatorRole: OperatorRole = "viewer"): Promise<UserCtx> {
  if (!HOST_LABEL.test(id)) throw new Refusal("not_found")
  const { CENTRAL_DOMAIN } = ctx.settings
  const host = id === CENTRAL_SITE ? CENTRAL_DOMAIN : getFallbackHost(ctx.settings, id)
  const { site } = await resolveSite(ctx, publicUrl(ctx.settings, host), undefined)
  const caller: Caller = { token: null, isVerified: true, isWrite: operatorRole !== "viewer", operatorRole }
  return { ...pinToStore(ctx, site), site, key: null, locale: "en", caller }
}

/** The user that represents an operator in the functions of a site: a member of staff without data. */
const OPERATOR: User = {
  id: 0,
  siteId: "",
  email: "",
  emailKey: "",
  firstName: "",
  lastName: "",
  passwordHash: "",
  phone: null,
  dob: null,
  gender: null,
  description: null,
  avatar: null,
  avatarSize: null,
  isStaff: true,
  role: "viewer",
  emailVerifiedAt: new Date(0),
  disabledAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
}

/** Adds the bearer token of an `Authorization` header to the context of a public read. */
export async function createReaderCtx(ctx: SiteCtx, header: string): Promise<SiteCtx> {
  const reader = await parseBearerToken(header)
  return reader ? { ...ctx, reader } : ctx
}

/** Finds the user of a public read's bearer token; null without a valid token. */
export async function findUserOfReader({ env, site, now, reader }: SiteCtx): Promise<User | null> {
  if (!reader) return null
  const find = (db: SiteDatabase) => read(db, selectUserByToken(toCallerParams(site, reader, now)))
  const [user] = await find(nearestReplica(env, site.database, { siteId: site.id, now }))
  return user ?? (await find(site.db))[0] ?? null
}

/** A caller without a token. */
export const ANONYMOUS: Caller = { token: null, isVerified: true, isWrite: false }

/** JSON bodies up to this size are read and validated in negligible time. */
const SHORT_BODY_BYTES = 16_000

/** Returns whether the request has a body that takes time to read and validate. One of unknown length may. */
function hasLongBody({ body, headers }: Request): boolean {
  if (body === null) return false
  const length = Number(headers.get("Content-Length") ?? Number.NaN)
  return !(length <= SHORT_BODY_BYTES && headers.get("Content-Type")?.startsWith("application/json"))
}

/**
 * Resolves the caller from the header. The token is verified now when a long body follows, else in the batch that reads
 * or writes for it.
 * @throws Refusal `unauthenticated`
 */
async function resolveCaller(c: Context<ContentEnv>, header: string | undefined): Promise<Caller> {
  const token = await parseBearerToken(header)
  const isVerified = hasLongBody(c.req.raw)
  if (!token || (isVerified && !(await isTokenValid(c.var.ctx, token)))) throw new Refusal("unauthenticated")
  return { token, isVerified, isWrite: !["GET", "HEAD"].includes(c.req.method) }
}

/**
 * Returns whether a token is valid at the site. A replica may lag behind a new token, so the primary decides on a miss.
 */
async function isTokenValid({ env, site, now }: SiteCtx, token: NonNullable<Caller["token"]>): Promise<boolean> {
  const find = (db: SiteDatabase) => read(db, selectToken(toCallerParams(site, token, now)))
  const rows = await find(nearestReplica(env, site.database, { siteId: site.id, now }))
  return rows.length > 0 || (await find(site.db)).length > 0
}

/**
 * Finds the user of an expired login. A revoked login is unknown, because its row is deleted.
 * @param header the value of an `Authorization` header
 */
export async function findUserOfExpired({ site, now }: SiteCtx, header: string): Promise<{ id: number } | null> {
  const token = await parseBearerToken(header)
  if (!token) return null
  const [user] = await site.db
    .select({ id: userTokens.userId })
    .from(userTokens)
    .where(
      and(
        eq(userTokens.siteId, site.id),
        eq(userTokens.id, token.id),
        eq(userTokens.hash, token.hash),
        lte(userTokens.expiresAt, now),
        isNull(userTokens.support),
      ),
    )
  return user ?? null
}

/** Parameters of a read on behalf of a user: the site, and the token that identifies the user. */
export interface CallerParams {
  site: string
  /** Null where no token was sent; it equals no row. */
  tokenId: number | null
  tokenHash: string | null
  /** In milliseconds since 1970. */
  now: number
}

/** Returns the parameters of a prepared read on behalf of the user. */
export const getCallerParams = ({ site, caller, now }: UserCtx): CallerParams => toCallerParams(site, caller.token, now)

const toCallerParams = ({ id }: SiteCtx["site"], token: Caller["token"], now: Date): CallerParams => ({
  site: id,
  tokenId: token?.id ?? null,
  tokenHash: token?.hash ?? null,
  now: now.getTime(),
})

type TokenParams = Omit<CallerParams, "site">

/** Matches a token by its id and secret, in a statement that is limited to the site. */
const tokenCondition = (params: { [Name in keyof TokenParams]: Exclude<TokenParams[Name], null> | Placeholder }) =>
  and(
    eq(userTokens.id, params.tokenId),
    eq(userTokens.hash, params.tokenHash),
    or(isNull(userTokens.expiresAt), gt(userTokens.expiresAt, sql`${params.now}`)),
  )

const matchesToken = ({ site, now }: Pick<SiteCtx, "site" | "now">, token: NonNullable<Caller["token"]>) =>
  and(eq(userTokens.siteId, site.id), tokenCondition({ tokenId: token.id, tokenHash: token.hash, now: now.getTime() }))

const matchesTokenParams = tokenCondition({
  tokenId: param("tokenId"),
  tokenHash: param("tokenHash"),
  now: param("now"),
})

/**
 * The user's id as a subquery, in a prepared read with `CallerParams`; null when the token is not valid at the site.
 */
export const callerUserId: SQL<number> = sql<number>`(select ${userTokens.userId} from ${userTokens} where ${and(eq(userTokens.siteId, param("site")), matchesTokenParams)})`

const selectToken = prepareSiteRead<{ id: number }, CallerParams>((db) =>
  db.select({ id: userTokens.id }).from(userTokens).where(matchesTokenParams),
)

/** A token's user, and the operator where it is a support login. */
type TokenHolder = User & { support: SupportToken | null }

const selectUserByToken = prepareSiteRead<TokenHolder, CallerParams>((db) =>
  db
    .select({ ...getTableColumns(users), support: userTokens.support })
    .from(userTokens)
    .innerJoin(users, eq(users.id, userTokens.userId))
    .where(matchesTokenParams),
)

/** A trivial read, so that a batch is never empty. */
const noUser = (db: SiteDatabase) => db.select({ id: sql<number>`1` }).from(sql`(select 1)`)

/** Returns the user's id as a subquery; null when the token is not valid at this site. */
const userIdSubquery = (ctx: SiteCtx, token: Caller["token"]): SQL<number> =>
  token
    ? sql<number>`(select ${userTokens.userId} from ${userTokens} where ${matchesToken(ctx, token)})`
    : sql<number>`null`

interface AuthOptions {
  /** Accepts users with an unconfirmed email address, at sites that require confirmation. */
  allowUnverified?: boolean
  /** Requires a member of the staff with this role or a higher one. */
  role?: StaffRole
}

interface WriteOptions extends AuthOptions {
  /** The change's audit entries; none by default, because a customer makes it. */
  auditLog?: AuditLog<SiteAudit>
  events?: readonly ShopEventDraft[]
}

/**
 * Authenticates the user and reads on their behalf: one snapshot of the database, one round trip.
 * @param reads gets the user's id as SQL, which is null when the token is invalid, so `where user_id = …` finds
 *   nothing. A prepared read uses `callerUserId` with the values of `getCallerParams(ctx)` instead.
 * @returns the user, the operator of a support login (null for a user's own login), and the result of each read
 * @throws Refusal `unauthenticated`, then `forbidden` for a write of the API with a support login, then
 *   `email_unverified`, then `forbidden` for a user without the role
 */
export async function authenticate<const Reads extends readonly Read[] = []>(
  ctx: UserCtx,
  reads?: (userId: SQL<number>) => Reads,
  { allowUnverified = false, role }: AuthOptions = {},
): Promise<{ user: User; support: SupportToken | null; results: Results<Reads> }> {
  const { api, db } = ctx.site
  const { operatorRole } = ctx.caller
  if (operatorRole) {
    const operator = { ...OPERATOR, role: operatorRole }
    if (role && !hasRole(operator, role)) throw new Refusal("forbidden")
    // An empty query in place of the one that reads the user.
    const [, ...results] = await batch(db, [noUser(db), ...(reads?.(userIdSubquery(ctx, null)) ?? [])])
    return { user: operator, support: null, results: results as Results<Reads> }
  }
  const [[row], ...results] = await batch(db, [
    selectUserByToken(getCallerParams(ctx)),
    ...(reads?.(userIdSubquery(ctx, ctx.caller.token)) ?? []),
  ])
  if (!row) throw new Refusal("unauthenticated")
  const { support, ...user } = row as TokenHolder
  if (support && ctx.caller.isWrite) throw new Refusal("forbidden")
  if (api.emailVerification && !user.emailVerifiedAt && !allowUnverified) throw new Refusal("email_unverified")
  if (role && !hasRole(user, role)) throw new Refusal("forbidden")
  return { user, support, results: results as Results<Reads> }
}

/**
 * Writes on behalf of the user: one transaction, one round trip. Its first statement aborts the transaction unless the
 * token is valid and belongs to a user of the site, so the writes need no further checks. On a route that requires
 * no token, the user's id is null when none was sent.
 * @param writes gets the user's id as SQL
 * @returns the result of each write
 * @throws Refusal `unauthenticated`, `forbidden` for a support login, `email_unverified`; WriteConflict as `commitSite`
 *   does
 */
export async function writeAsUser<const Writes extends readonly Statement[]>(
  ctx: UserCtx,
  writes: (userId: SQL<number>) => Writes,
  { auditLog = { auditSkipped: "site_user" }, events, ...options }: WriteOptions = {},
): Promise<Results<Writes>> {
  const { token, operatorRole } = ctx.caller
  if (operatorRole) {
    // Only customers may make changes without an audit entry.
    if (operatorRole === "viewer" || "auditSkipped" in auditLog) throw new Refusal("forbidden")
    return commitSite(ctx, ctx.site, { writes: writes(userIdSubquery(ctx, null)), auditLog, events })
  }
  const guard = token ? [abortUnlessUser(ctx, token, options)] : []
  try {
    const results = await commitSite(ctx, ctx.site, {
      writes: [...guard, ...writes(userIdSubquery(ctx, token))],
      auditLog,
      events,
    })
    return results.slice(guard.length) as Results<Writes>
  } catch (cause) {
    if (!isUnauthenticated(cause)) throw cause
    const { support } = await authenticate(ctx, undefined, options)
    throw new Refusal(support ? "forbidden" : "unauthenticated")
  }
}

/**
 * Aborts the batch, and with it every write, unless the token belongs to a user who may write. Support logins may not.
 */
function abortUnlessUser(
  ctx: SiteCtx,
  token: NonNullable<Caller["token"]>,
  { allowUnverified = false, role }: AuthOptions,
): Write {
  const confirmed = ctx.site.api.emailVerification && !allowUnverified ? isNotNull(users.emailVerifiedAt) : undefined
  const holdsRole =
    role && and(eq(users.isStaff, true), inArray(sql`coalesce(${users.role}, 'owner')`, rolesFrom(role)))
  const holder = sql`select 1 from ${userTokens} join ${users} on ${users.id} = ${userTokens.userId}
    where ${and(matchesToken(ctx, token), isNull(userTokens.support), eq(users.siteId, ctx.site.id), confirmed, holdsRole)}`
  return writeSql(sql`insert into abort_stranger select 'token' where not exists (${holder})`)
}
