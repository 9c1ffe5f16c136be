// Adds and removes operators' notes on a store.
import { and, eq } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { multilineText } from "../../core/http/validation"
import { commit } from "../../core/write/commit"
import { storeNotes } from "../../db/schema/central/notes"
import { insert, remove } from "../../db/write"
import { loadStore } from "./queries"

export const AddNote = z.object({ note: multilineText({ max: 2000 }) })

/** @throws Refusal `not_found` */
export async function addNote(ctx: Ctx, storeId: string, { note }: z.output<typeof AddNote>): Promise<void> {
  const { store } = await loadStore(ctx, storeId)
  const row = { storeSeq: store.seq, note, createdByName: ctx.actor.name, createdAt: ctx.now }
  await commit(ctx, {
    writes: [insert(storeNotes).values(row)],
    auditLog: [{ audit: { subject: "note", action: "created", id: storeId, siteId: storeId, after: { note } } }],
  })
}

/** @throws Refusal `not_found` */
export async function readNote(ctx: Ctx, storeId: string, id: number) {
  const { store } = await loadStore(ctx, storeId)
  const [note] = await ctx.db
    .select()
    .from(storeNotes)
    .where(and(eq(storeNotes.id, id), eq(storeNotes.storeSeq, store.seq)))
  if (!note) throw new Refusal("not_found")
  return note
}

/** @throws Refusal `not_found` */
export async function removeNote(ctx: Ctx, storeId: string, id: number): Promise<void> {
  const note = await readNote(ctx, storeId, id)
  await commit(ctx, {
    writes: [remove(storeNotes).where(and(eq(storeNotes.id, id), eq(storeNotes.storeSeq, note.storeSeq)))],
    auditLog: [
      { audit: { subject: "note", action: "deleted", id: storeId, siteId: storeId, before: { note: note.note } } },
    ],
  })
}
