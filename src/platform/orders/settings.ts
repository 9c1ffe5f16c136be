// How bank transfers are sold: whether at all, what an owner is told to do, and what receipts are numbered with.
import { eq, sql } from "drizzle-orm"
import * as z from "zod"
import { commit, LostRace } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/refusal"
import { text } from "../../core/validation"
import { read } from "../../db/client"
import { compiled } from "../../db/compiled"
import { orders } from "../../db/schema/central/orders"
import { settings } from "../../db/schema/central/settings"
import { insertSelect } from "../../db/write"

/** The row of the settings table. */
const NAME = "offline"

const stored = z.object({
  enabled: z.boolean().default(false),
  label: z.string().default("Bank transfer"),
  instructions: z.string().default(""),
  receipt_prefix: z.string().default("INV"),
})

export type OfflineSettings = z.output<typeof stored>

/** On or off, as a command line or a form spells it. */
const flag = z
  .union([z.boolean(), z.literal(["true", "false", "on", "off", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "on" || value === "1")

export const SaveOffline = z.object({
  enabled: flag.optional().describe("true or false: whether owners may order by bank transfer"),
  label: text({ max: 120 }).optional().describe("what this way to pay is called"),
  instructions: z
    .union([z.literal(""), text({ max: 2000 })])
    .optional()
    .describe("what to transfer where, as the owner reads it"),
  receipt_prefix: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,19}$/)
    .optional()
    .describe("what receipt numbers begin with; locked by the first receipt"),
})

/** The statement that reads the settings; `offlineFrom` reads its answer. */
export const offlineRow = compiled<typeof settings.$inferSelect, object>((db) =>
  db.select().from(settings).where(eq(settings.name, NAME)),
)

/** The settings in the answer of `offlineRow`. */
export const offlineFrom = ([row]: readonly { value: unknown }[]): OfflineSettings => stored.parse(row?.value ?? {})

const readOffline = async (ctx: Ctx): Promise<OfflineSettings> => offlineFrom(await read(ctx.db, offlineRow({})))

/** The receipt prefix as it stands when the statement runs. */
export const receiptPrefix = sql`coalesce((select ${settings.value} ->> '$.receipt_prefix' from ${settings} where ${settings.name} = ${NAME}), 'INV')`

/**
 * Changes what is given.
 * @throws Refusal `prefix_locked` for another prefix once there is a receipt
 */
export async function saveOffline(ctx: Ctx, input: z.output<typeof SaveOffline>): Promise<OfflineSettings> {
  const current = await readOffline(ctx)
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const next = { ...current, ...given }
  if (!Object.keys(given).length) return current
  const isLocked = sql`exists (select 1 from ${orders} where ${orders.number} is not null)`
  const free = next.receipt_prefix === current.receipt_prefix ? sql`1` : sql`not ${isLocked}`
  try {
    await commit(ctx, {
      guard: insertSelect(settings, { name: NAME, value: next }, sql`where ${free}`).onConflictDoUpdate({
        target: settings.name,
        set: { value: sql`excluded.value` },
      }),
      trail: [{ audit: { subject: "settings", id: NAME, deed: "changed", before: current, after: next } }],
    })
  } catch (cause) {
    if (cause instanceof LostRace) throw new Refusal("prefix_locked")
    throw cause
  }
  return next
}
