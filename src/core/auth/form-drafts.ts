// Saves the form of an expired session, so that it can be shown again after signing in. The link's token is the key
// that encrypts the fields. Only its hash is stored, so the database alone reveals nothing.
import { and, eq, gt, lte, sql } from "drizzle-orm"
import { formDrafts } from "../../db/schema/central/form-drafts"
import { insert, remove } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { sha256 } from "../../lib/hash"
import { randomBytes } from "../../lib/random"
import { addMs, MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import type { Form } from "../http/body"
import { takeTokens } from "../http/rate-limit"
import { Refusal } from "../http/refusal"
import { deleteExpired } from "../queue/delete-expired"
import { writeUnaudited } from "../write/commit"

/** The query parameter with the token of a draft. */
export const DRAFT_PARAMETER = "draft"

const TTL = 30 * MINUTE

/** Length of the fields as JSON. */
const MAX_LENGTH = 64_000

const MAX_DRAFTS_PER_OWNER = 10
const DRAFTS_PER_MINUTE = 20

/** Fields that prove who sends the form. They are entered again. */
const PROOFS = /^(confirm_password|current_password|passkey_.*)$/

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

/** A submitted form. */
export interface SubmittedForm {
  /** The path that it was sent to. */
  path: string
  fields: Form
}

/**
 * Saves a form for 30 minutes. An owner's oldest drafts beyond ten are deleted.
 * @param owner who may read it, such as `operator:7`: the owner of the session that has expired
 * @returns the token of the link; null when the form is too long, or when too many were saved within a minute
 */
export async function saveDraft(ctx: Ctx, owner: string, { path, fields }: SubmittedForm): Promise<string | null> {
  const content = JSON.stringify([...fields].filter(([name]) => !PROOFS.test(name)))
  if (content.length > MAX_LENGTH) return null
  try {
    await takeTokens(ctx.env, ctx.log, [{ name: `form-drafts:${owner}`, limit: DRAFTS_PER_MINUTE }])
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === "rate_limited") return null
    throw cause
  }
  const key = randomBytes(32)
  const token = key.toBase64(BASE64URL)
  const row = {
    hash: await sha256(token),
    owner,
    path,
    content: await encrypt({ current: key, previous: null }, content),
    createdAt: ctx.now,
  }
  const isOwn = eq(formDrafts.owner, owner)
  const newest = sql`select ${formDrafts.hash} from ${formDrafts} where ${isOwn}
    order by ${formDrafts.createdAt} desc limit ${MAX_DRAFTS_PER_OWNER}`
  await writeUnaudited(ctx, "authentication", [
    insert(formDrafts).values(row),
    remove(formDrafts).where(and(isOwn, sql`${formDrafts.hash} not in (${newest})`)),
  ])
  return token
}

/**
 * Finds a draft by the token of its link.
 * @param owner the owner of the current session
 * @returns null when it has expired or belongs to someone else
 */
export async function findDraft(ctx: Ctx, owner: string, token: string): Promise<SubmittedForm | null> {
  if (!/^[\w-]{43}$/.test(token)) return null
  const [draft] = await ctx.db
    .select({ path: formDrafts.path, content: formDrafts.content })
    .from(formDrafts)
    .where(
      and(
        eq(formDrafts.hash, await sha256(token)),
        eq(formDrafts.owner, owner),
        gt(formDrafts.createdAt, addMs(ctx.now, -TTL)),
      ),
    )
  if (!draft) return null
  const key = Uint8Array.fromBase64(token, { alphabet: "base64url" })
  const content = await decrypt({ current: key, previous: null }, draft.content)
  return content === null ? null : { path: draft.path, fields: new Map(JSON.parse(content) as [string, string[]][]) }
}

/** Deletes expired drafts, which can no longer be read. Runs every hour. */
export const deleteExpiredDrafts = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    formDrafts,
    (limit) =>
      sql`select rowid from ${formDrafts} where ${lte(formDrafts.createdAt, addMs(ctx.now, -TTL))} limit ${limit}`,
  )
