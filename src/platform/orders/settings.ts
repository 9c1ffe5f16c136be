// How bank transfers are sold: whether at all, what an owner is told to do, and what receipts are numbered with.
import { and, eq, isNotNull, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { prose, text } from "../../core/http/validation"
import { change } from "../../core/write/commit"
import { batch } from "../../db/client"
import { compiled } from "../../db/prepared"
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
    .union([z.literal(""), prose({ max: 2000 })])
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

/** The receipt prefix as it stands when the statement runs. */
export const receiptPrefix = sql`coalesce((select ${settings.value} ->> '$.receipt_prefix' from ${settings} where ${settings.name} = ${NAME}), 'INV')`

const isNumbered = isNotNull(orders.number)

/** The settings' row, and whether a receipt was numbered by it. */
async function loadOffline(ctx: Ctx) {
  const numbered = ctx.db.select({ number: orders.number }).from(orders).where(isNumbered).limit(1)
  const [rows, receipts] = await batch(ctx.db, [offlineRow({}), numbered])
  return { rows, isLocked: receipts.length > 0 }
}

/** That the row is the one that was read, or still none. */
const isStill = ([row]: readonly { value: unknown }[]) =>
  sql`(select json(${settings.value}) from ${settings} where ${settings.name} = ${NAME}) is json(${row ? JSON.stringify(row.value) : null})`

/**
 * Changes what is given; what somebody else changes in the same moment stays changed.
 * @throws Refusal `prefix_locked` for another prefix once there is a receipt
 */
export const saveOffline = (ctx: Ctx, input: z.output<typeof SaveOffline>): Promise<OfflineSettings> =>
  change(
    ctx,
    () => loadOffline(ctx),
    ({ rows, isLocked }) => {
      const current = offlineFrom(rows)
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
      if (!Object.keys(given).length) return { answer: current }
      const next = { ...current, ...given }
      const renumbers = next.receipt_prefix !== current.receipt_prefix
      if (renumbers && isLocked) throw new Refusal("prefix_locked")
      const unlocked = renumbers ? sql`not exists (select 1 from ${orders} where ${isNumbered})` : undefined
      return {
        answer: next,
        change: {
          guard: insertSelect(
            settings,
            { name: NAME, value: next },
            sql`where ${and(isStill(rows), unlocked)}`,
          ).onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } }),
          trail: [{ audit: { subject: "settings", id: NAME, deed: "changed", before: current, after: next } }],
        },
      }
    },
  )
