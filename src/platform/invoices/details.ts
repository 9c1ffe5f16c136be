// Reads and saves an owner's billing details: the buyer on invoices.
import { eq, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { multilineText, text, violates } from "../../core/http/validation"
import { applyChange } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { billingDetails } from "../../db/schema/central/invoices"
import { stores } from "../../db/schema/central/stores"
import { insert } from "../../db/write"
import { isTaxNumber, normalizeTaxNumber } from "../../lib/tax-numbers"
import { loadStore } from "../stores/queries"
import { guardedUpdate } from "../stores/service"
import { CountryCode } from "../tax/settings"

export type BillingDetails = typeof billingDetails.$inferSelect

export const SaveBillingDetails = z
  .object({
    name: text({ max: 120 }),
    address: multilineText({ max: 500 }),
    country: CountryCode,
    tax_number: z.string().max(40).transform(normalizeTaxNumber).default(""),
  })
  .refine(({ country, tax_number: number }) => number === "" || isTaxNumber(country, number), {
    path: ["tax_number"],
    ...violates("format"),
  })

/** Selects the billing details of a store. */
export const selectBillingDetails = (db: CentralDatabase, storeId: string) =>
  db
    .select()
    .from(billingDetails)
    .where(eq(billingDetails.storeSeq, sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`))

/**
 * Saves the billing details for future invoices.
 * @throws Refusal `not_found`
 */
export const saveBillingDetails = (
  ctx: Ctx,
  storeId: string,
  input: z.output<typeof SaveBillingDetails>,
): Promise<null> =>
  applyChange(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => {
      const { tax_number: taxNumber, ...rest } = input
      const values = { ...rest, taxNumber, updatedAt: ctx.now }
      return {
        result: null,
        change: {
          guard: guardedUpdate(facts, {}),
          writes: [
            insert(billingDetails)
              .values({ storeSeq: facts.store.seq, ...values })
              .onConflictDoUpdate({ target: billingDetails.storeSeq, set: values }),
          ],
          // The address is personal data, so the audit log has its country only.
          auditLog: [
            {
              audit: {
                subject: "billing_details",
                id: storeId,
                action: "saved",
                siteId: storeId,
                data: { country: input.country },
              },
            },
          ],
        },
      }
    },
  )
