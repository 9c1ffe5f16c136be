// Renders an invoice or a credit note as a page to print.
import type { Locale } from "../../core/i18n/locale"
import { describeInvoice } from "../../platform/invoices/describe"
import type { Invoice } from "../../platform/invoices/service"
import { t as tInvoice } from "../../platform/invoices/strings"
import { t } from "./strings"

/** The invoice as a page to print, with links to its PDF and its credit notes. */
export function InvoiceView({
  invoice,
  credits,
  platform,
  locale,
}: {
  invoice: Invoice
  credits: Invoice[]
  platform: string
  locale: Locale
}) {
  const { title, seller, buyer, facts, amounts, notes } = describeInvoice(invoice, locale)
  const party = (label: string, lines: string[]) => (
    <p>
      <span class="soft small">{label}</span>
      {lines.map((line) => (
        <>
          <br />
          {line}
        </>
      ))}
    </p>
  )
  const path = `/billing/invoices/${encodeURIComponent(invoice.number)}`
  return (
    <div class="shell narrow page">
      <article class="receipt">
        <h1>{title}</h1>
        {party(tInvoice("seller", locale), seller.length ? seller : [platform])}
        {party(tInvoice("buyer", locale), buyer)}
        <table>
          <tbody>
            {[...facts, ...amounts].map(([label, value]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td class="num">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </article>
      <p class="noprint row">
        <a href={`${path}.pdf`}>PDF</a>
        {credits.map(({ number }) => (
          <a href={`/billing/invoices/${encodeURIComponent(number)}`} key={number}>
            {tInvoice("credit_note", locale)} {number}
          </a>
        ))}
        <a href="/billing">{t("back", locale)}</a>
      </p>
    </div>
  )
}
