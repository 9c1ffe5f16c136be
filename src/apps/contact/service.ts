// Operations on contact messages: users write them, staff read them.
import { and, asc, desc, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { writeAsStaff } from "../../content/staff/write"
import { authenticate, type User, type UserCtx, writeAsUser } from "../../content/user"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { type Page, pageFrom, prepareSitePages } from "../../core/list/page"
import { selectSiteCounter } from "../../core/list/site-totals"
import { retryOnConflict } from "../../core/write/commit"
import type { ShopEventDraft } from "../../core/write/site-events"
import { param, prepareSiteRead } from "../../db/prepared"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { fullName } from "../../lib/full-name"
import { assertStaff } from "../authorization"
import { buildMessageMailWrite, sendMessageMail } from "./mails"
import { type CreateContactMessage, type ListMessages, messageResource, type UpdateContactMessage } from "./schemas"
import { contactMessages, GUEST_USER_ID } from "./tables"

export type Message = typeof contactMessages.$inferSelect

/**
 * Sends a message to the site's staff, and a mail about it to the shop's contact address. One of a visitor without an
 * account has no user.
 * @throws Refusal `unauthenticated`
 */
export async function writeMessage(ctx: UserCtx, input: z.output<typeof CreateContactMessage>): Promise<Message> {
  const user = ctx.caller.token ? (await authenticate(ctx)).user : null
  const { phone, subject, message } = input
  const name = input.name ?? (user ? fullName(user) : "")
  const email = input.email ?? user?.email ?? ""
  const values = {
    userId: user?.id ?? GUEST_USER_ID,
    name,
    email,
    phone: phone ?? null,
    subject: subject ?? null,
    message,
    status: "new" as const,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
  // The unary plus keeps SQLite from reading all messages of the site.
  const newest = sql`(select ${contactMessages.id} from ${contactMessages} where +${contactMessages.siteId} = ${ctx.site.id}
    order by ${contactMessages.id} desc limit 1)`
  const event: ShopEventDraft = {
    type: "shop.message.received",
    data: { message: messageResource({ ...values, id: 0, siteId: ctx.site.id, reply: null, repliedAt: null }) },
    fill: { "$.data.message.id": newest },
    actor: user ? { id: user.id, name: fullName(user) } : { name },
  }
  const [[row]] = await writeAsUser(
    ctx,
    () => [
      inSite(ctx.site.id).insert(contactMessages).values(values).returning(),
      buildMessageMailWrite(ctx, { name, email, phone, subject, message }),
    ],
    { events: [event] },
  )
  if (!row) throw new Error("The message was not stored")
  sendMessageMail(ctx)
  return row
}

/**
 * Lists a page of messages, newest first.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function listMessages(ctx: UserCtx, input: z.output<typeof ListMessages>): Promise<Page<Message>> {
  const { status } = input
  const values = { site: ctx.site.id, status }
  const { user, results } = await authenticate(ctx, () =>
    (status ? selectPagesByStatus : selectAllPages)(input, values),
  )
  assertStaff(user, "viewer")
  return pageFrom(results)
}

const prepareMessagePages = (filtersByStatus: boolean) => {
  const status = param("status")
  const where = filtersByStatus ? eq(contactMessages.status, status) : undefined
  return prepareSitePages<Message, { site: string; status: Message["status"] | undefined }>(
    selectSiteCounter(param("site"), "contact", filtersByStatus ? status : ""),
    (db, { limit, offset }, direction) =>
      db
        .select()
        .from(contactMessages)
        .where(where)
        .orderBy(direction === "forward" ? desc(contactMessages.id) : asc(contactMessages.id))
        .limit(limit)
        .offset(offset),
  )
}

const selectAllPages = prepareMessagePages(false)
const selectPagesByStatus = prepareMessagePages(true)

const selectNewMessages = ({ db, id }: UserCtx["site"]) =>
  db.select({ total: sql<number>`${selectSiteCounter(id, "contact", "new")}` }).from(sql`(select 1)`)

/**
 * Counts the messages that are not read, for staff.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function countNewMessages(ctx: UserCtx): Promise<number> {
  const { results } = await authenticate(ctx, () => [selectNewMessages(ctx.site)], { role: "viewer" })
  return results[0][0]?.total ?? 0
}

/**
 * Reads a message.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function readMessage(ctx: UserCtx, segment: string): Promise<Message> {
  const { user, results } = await authenticate(ctx, () => [selectMessage({ site: ctx.site.id, id: rowId(segment) })])
  assertStaff(user, "viewer")
  const [[row]] = results
  if (!row) throw new Refusal("not_found")
  return row
}

/**
 * Marks a message read, or new again.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export const markMessage = (
  ctx: UserCtx,
  segment: string,
  { status }: z.output<typeof UpdateContactMessage>,
): Promise<Message> =>
  retryOnConflict(async () => {
    const { user, message } = await loadForEditor(ctx, segment)
    if (message.status === status) return message
    await writeAsStaff(ctx, user, {
      writes: [
        inSite(ctx.site.id)
          .update(contactMessages)
          .set({ status, updatedAt: ctx.now })
          .where(and(eq(contactMessages.id, message.id), eq(contactMessages.status, message.status))),
        abortUnlessTouched,
      ],
      auditLog: [
        {
          subject: "contact_message",
          id: message.id,
          action: "changed",
          before: { status: message.status },
          after: { status },
        },
      ],
    })
    return { ...message, status, updatedAt: ctx.now }
  })

/**
 * Removes a message.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export const removeMessage = (ctx: UserCtx, segment: string): Promise<void> =>
  retryOnConflict(async () => {
    const { user, message } = await loadForEditor(ctx, segment)
    const { id, status } = message
    await writeAsStaff(ctx, user, {
      writes: [inSite(ctx.site.id).remove(contactMessages).where(eq(contactMessages.id, id)), abortUnlessTouched],
      auditLog: [{ subject: "contact_message", id, action: "deleted", before: { status } }],
    })
  })

/** @throws Refusal `unauthenticated`, `forbidden`, `not_found` */
async function loadForEditor(ctx: UserCtx, segment: string): Promise<{ user: User; message: Message }> {
  const { user, results } = await authenticate(ctx, () => [selectMessage({ site: ctx.site.id, id: rowId(segment) })])
  assertStaff(user, "editor")
  const [[message]] = results
  if (!message) throw new Refusal("not_found")
  return { user, message }
}

/** Selects a message by its id. */
export const selectMessage = prepareSiteRead<Message, { site: string; id: number }>((db) =>
  db
    .select()
    .from(contactMessages)
    .where(eq(contactMessages.id, param("id"))),
)
