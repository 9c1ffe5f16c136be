// Searches invoices and credit notes page by page, and streams them for exports.
import { and, asc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText, queryTimestamp } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { orderByCreation, queryCreatedSort } from "../../core/list/created-sort"
import { selectTotal } from "../../core/list/page"
import { beginsWith } from "../../core/list/prefix"
import { streamRows } from "../../core/list/stream"
import { batch } from "../../db/client"
import { invoices, INVOICE_KINDS as STORED_KINDS } from "../../db/schema/central/invoices"
import type { Invoice } from "./service"

export const INVOICES_PAGE_SIZE = 50

export const INVOICE_KINDS = STORED_KINDS

export const SearchInvoices = z.object({
  /** The beginning of a number; case is ignored. */
  q: queryText,
  kind: queryChoice(INVOICE_KINDS),
  store: queryText,
  since: queryTimestamp.optional(),
  until: queryTimestamp.optional(),
  sort: queryCreatedSort,
  page: queryNumber(100_000).default(1),
})

type Search = z.output<typeof SearchInvoices>

const buildConditions = ({ kind, since, until }: Search): SQL | undefined =>
  and(kind && eq(invoices.kind, kind), since && gte(invoices.issuedAt, since), until && lt(invoices.issuedAt, until))

/**
 * Returns a page of invoices, and whether more follow. A store or the beginning of a number is read through its
 * index; further filters scan the first 5,000 entries.
 * @returns `scanned`: the number of scanned rows if further matches may exist beyond them, else null
 */
export async function searchInvoices(
  ctx: Pick<Ctx, "db">,
  input: Search,
): Promise<{ rows: Invoice[]; more: boolean; scanned: number | null }> {
  const { q, store, page } = input
  const ofStore = store ? eq(invoices.storeId, store) : undefined
  const order = [orderByCreation(invoices.id, input.sort)]
  const conditions = buildConditions(input)
  const { ids, scanned } = boundedScan(
    invoices.id,
    q
      ? {
          indexed: () => beginsWith(invoices.number, q),
          indexOrder: [asc(invoices.number)],
          filter: and(ofStore, conditions),
          order,
        }
      : { indexed: () => [ofStore ?? sql`true`], filter: conditions, order },
    { limit: INVOICES_PAGE_SIZE + 1, offset: (page - 1) * INVOICES_PAGE_SIZE },
  )
  const [rows, [counter]] = await batch(ctx.db, [
    ctx.db
      .select()
      .from(invoices)
      .where(inArray(invoices.id, ids))
      .orderBy(...order),
    // Rows are never deleted, so the latest id is the number of rows.
    selectTotal(ctx.db, sql`(select coalesce(max(${invoices.id}), 0) from ${invoices})`),
  ])
  return {
    rows: rows.slice(0, INVOICES_PAGE_SIZE),
    more: rows.length > INVOICES_PAGE_SIZE,
    scanned: scanned !== null && counter && counter.total > scanned ? scanned : null,
  }
}

/** Streams all matching invoices. */
export const streamInvoices = (ctx: Pick<Ctx, "db">, input: Search): AsyncGenerator<Invoice[]> =>
  streamRows(ctx.db, invoices, invoices.id, {
    indexed: input.store ? eq(invoices.storeId, input.store) : undefined,
    filter: and(
      buildConditions(input),
      input.q ? sql`(${sql.join(beginsWith(invoices.number, input.q), sql` or `)})` : undefined,
    ),
    sort: input.sort,
  })
