// CLI commands for invoices, credit notes and tax.
import * as z from "zod"
import { CreditInvoice, creditInvoice, invoiceResource, listInvoices } from "../platform/invoices/service"
import { SaveTaxRate, SaveTaxSettings, saveTaxRate, saveTaxSettings } from "../platform/tax/settings"
import { type Command, command } from "./command"
import { withCreated } from "./created"

/** Maximum number of listed invoices. */
const MAX_LIST_ROWS = 1000

export const invoiceCommands: Record<string, Command> = {
  "invoices:list": command(
    "List invoices and credit notes, newest first",
    z.object({ store: z.string().min(1).optional().describe("Store ID") }),
    async (ctx, { store: storeId }) =>
      (await listInvoices(ctx, { storeId }, { limit: MAX_LIST_ROWS, offset: 0 })).map(invoiceResource),
  ),
  "invoices:credit": command(
    "Issue a credit note for an invoice, or for a part of it, and mail it to the owner",
    CreditInvoice,
    async (ctx, input) => invoiceResource(await creditInvoice(ctx, input)),
  ),
  "tax:settings": command(
    "Show or update the seller on invoices, and whether prices include tax",
    SaveTaxSettings,
    saveTaxSettings,
  ),
  "tax:save": command("Set the tax rate of a country", SaveTaxRate, async (ctx, input) =>
    withCreated(await saveTaxRate(ctx, input), ({ isNew: _, ...tax }) => tax),
  ),
}
