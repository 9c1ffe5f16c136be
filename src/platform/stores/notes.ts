// Notes that operators leave at a store.
import { and, eq } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { prose } from "../../core/http/validation"
import { commit } from "../../core/write/commit"
import { storeNotes } from "../../db/schema/central/notes"
import { insert, remove } from "../../db/write"
import { loadStore } from "./queries"

export const AddNote = z.object({ note: prose({ max: 2000 }) })

/** @throws Refusal `not_found` */
export async function addNote(ctx: Ctx, storeId: string, { note }: z.output<typeof AddNote>): Promise<void> {
  const { store } = await loadStore(ctx, storeId)
  const row = { storeSeq: store.seq, note, createdByName: ctx.actor.name, createdAt: ctx.now }
  await commit(ctx, {
    writes: [insert(storeNotes).values(row)],
    trail: [{ audit: { subject: "note", deed: "created", id: storeId, siteId: storeId, after: { note } } }],
  })
}

/** @throws Refusal `not_found` */
export async function removeNote(ctx: Ctx, storeId: string, id: number): Promise<void> {
  const { store } = await loadStore(ctx, storeId)
  const isIt = and(eq(storeNotes.id, id), eq(storeNotes.storeSeq, store.seq))
  const [note] = await ctx.db.select().from(storeNotes).where(isIt)
  if (!note) throw new Refusal("not_found")
  await commit(ctx, {
    writes: [remove(storeNotes).where(isIt)],
    trail: [{ audit: { subject: "note", deed: "deleted", id: storeId, siteId: storeId, before: { note: note.note } } }],
  })
}
