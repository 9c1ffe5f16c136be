// Renders the platform's mails from stored facts, as text and as HTML, in the recipient's language. Pure.

import { type Locale, type Translations, translate } from "../core/i18n/locale"
import { type MailContent, mailHtml, mailText } from "../core/mail/layout"
import type { Mail } from "../core/mail/send"
import { longDate, money, unitOfTime } from "../lib/intl"
import type { MailStrings } from "./strings"

/**
 * Values that a mail's strings may name. Facts in DATE_FACTS are ISO 8601 texts, `amount_cents` goes with `currency`,
 * `interval` is formatted as `period`, and `url` is the target of the button.
 */
export type MailParams = Record<string, string | number | null>

/** Facts that are shown as dates. */
const DATE_FACTS = ["ends_on", "until", "paid_on", "paid_until"]

/** Facts without which the paragraphs that name them are left out. */
const OPTIONAL_FACTS = ["reason", "reply_to", "period", "paid_until"]

/**
 * Renders a mail.
 * @param strings of its kind
 * @param facts as stored with the mail
 * @param sender the platform's name
 */
export function renderMail(
  strings: MailStrings,
  to: string,
  facts: MailParams,
  locale: Locale,
  sender: string,
): Omit<Mail, "reference"> {
  const formatted = formatFacts({ platform: sender, ...facts }, locale)
  const text = (translations: Translations) => translate(translations, locale, formatted)
  const content: MailContent = {
    title: text(strings.title),
    paragraphs: strings.body
      .filter((paragraph) => OPTIONAL_FACTS.every((name) => formatted[name] || !paragraph.en.includes(`:${name}`)))
      .map(text),
    ...(strings.action && typeof facts.url === "string" && { action: { label: text(strings.action), url: facts.url } }),
    notes: (strings.notes ?? []).map(text),
    sender,
  }
  return { to, subject: content.title, text: mailText(content), html: mailHtml(content, locale) }
}

/** Formats dates, amounts and periods in the recipient's language. */
function formatFacts(facts: MailParams, locale: Locale): MailParams {
  const formatted = { ...facts }
  for (const name of DATE_FACTS) {
    const date = facts[name]
    if (typeof date === "string") formatted[name] = longDate(new Date(date), locale)
  }
  if (typeof facts.amount_cents === "number") formatted.amount = money(facts.amount_cents, `${facts.currency}`, locale)
  if (facts.interval === "month" || facts.interval === "year") formatted.period = unitOfTime(1, facts.interval, locale)
  return formatted
}
