// The verbs of a contact message: users write, staff read.
import { and, asc, desc, eq, type Placeholder } from "drizzle-orm"
import type * as z from "zod"
import { asUser, authed, type UserCtx } from "../../content/user"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { compiledPages, type Page, pageFrom } from "../../core/list/page"
import { countedAt } from "../../core/list/site-totals"
import { compiled, given } from "../../db/prepared"
import { contactMessages } from "../../db/schema/sites/contact"
import { insert, remove, update } from "../../db/write"
import { assertStaff } from "../authorization"
import type { ListMessages, MarkMessage, WriteMessage } from "./schemas"

type Message = typeof contactMessages.$inferSelect

/**
 * Leaves a message for the site's staff.
 * @throws Refusal `unauthenticated`
 */
export async function writeMessage(ctx: UserCtx, input: z.output<typeof WriteMessage>): Promise<Message> {
  const { user } = await authed(ctx)
  const { phone, subject, message } = input
  const name = input.name ?? `${user.firstName} ${user.lastName}`.trim()
  const email = input.email ?? user.email
  const [[row]] = await asUser(ctx, () => [
    insert(contactMessages)
      .values({
        siteId: ctx.site.id,
        userId: user.id,
        name,
        email,
        phone,
        subject,
        message,
        status: "new",
        createdAt: ctx.now,
        updatedAt: ctx.now,
      })
      .returning(),
  ])
  if (!row) throw new Error("The message was not stored")
  return row
}

/**
 * A page of messages, the newest first.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function listMessages(ctx: UserCtx, input: z.output<typeof ListMessages>): Promise<Page<Message>> {
  const { status } = input
  const values = { site: ctx.site.id, status }
  const { user, answers } = await authed(ctx, () => (status ? pagesOfStatus : pagesOfAll)(input, values))
  assertStaff(user)
  return pageFrom(answers)
}

const pages = (isOfStatus: boolean) => {
  const status = given("status")
  const where = and(
    eq(contactMessages.siteId, given("site")),
    isOfStatus ? eq(contactMessages.status, status) : undefined,
  )
  return compiledPages<Message, { site: string; status: Message["status"] | undefined }>(
    countedAt(given("site"), "contact", isOfStatus ? status : ""),
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

const pagesOfAll = pages(false)
const pagesOfStatus = pages(true)

/**
 * One message.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function readMessage(ctx: UserCtx, segment: string): Promise<Message> {
  const { user, answers } = await authed(ctx, () => [messageOf({ site: ctx.site.id, id: rowId(segment) })])
  assertStaff(user)
  const [[row]] = answers
  if (!row) throw new Refusal("not_found")
  return row
}

/**
 * Marks a message read, or new again.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function markMessage(
  ctx: UserCtx,
  segment: string,
  { status }: z.output<typeof MarkMessage>,
): Promise<Message> {
  const { user } = await authed(ctx)
  assertStaff(user)
  const [[row]] = await asUser(ctx, () => [
    update(contactMessages)
      .set({ status, updatedAt: ctx.now })
      .where(isMessage(ctx.site, rowId(segment)))
      .returning(),
  ])
  if (!row) throw new Refusal("not_found")
  return row
}

/**
 * Removes a message.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function removeMessage(ctx: UserCtx, segment: string): Promise<void> {
  const { user } = await authed(ctx)
  assertStaff(user)
  const [removed] = await asUser(ctx, () => [
    remove(contactMessages)
      .where(isMessage(ctx.site, rowId(segment)))
      .returning({ id: contactMessages.id }),
  ])
  if (!removed.length) throw new Refusal("not_found")
}

const messageOf = compiled<Message, { site: string; id: number }>((db) =>
  db
    .select()
    .from(contactMessages)
    .where(isMessage({ id: given("site") }, given("id"))),
)

/** The message of an id, at this site. */
const isMessage = ({ id: siteId }: { id: string | Placeholder }, id: number | Placeholder) =>
  and(eq(contactMessages.siteId, siteId), eq(contactMessages.id, id))
