// A mail of the platform, written out: its facts in the reader's language, as text and as HTML. Pure.

import { type Locale, type Sentence, say } from "../core/i18n/locale"
import { type MailContent, mailHtml, mailText } from "../core/mail/layout"
import type { Mail } from "../core/mail/send"
import { longDate, money } from "../lib/intl"
import { type MailKind, wordsOf } from "./strings"

/**
 * What a mail's words may name. A moment is ISO text under a name in MOMENTS, `amount_cents` goes with `currency`; `url` is where
 * the button leads.
 */
export type MailFacts = Record<string, string | number | null>

/** Facts that are moments, shown as days. */
const MOMENTS = ["ends_on", "until", "paid_on"]

/**
 * @param facts as they were stored with the mail
 * @param sender the platform's name
 */
export function writeMail(kind: MailKind, to: string, facts: MailFacts, locale: Locale, sender: string): Mail {
  const words = wordsOf(kind)
  const shown = shownFacts({ platform: sender, ...facts }, locale)
  const word = (sentence: Sentence) => say(sentence, locale, shown)
  const content: MailContent = {
    title: word(words.title),
    paragraphs: words.body.map(word),
    ...(words.action && typeof facts.url === "string" && { action: { label: word(words.action), url: facts.url } }),
    notes: (words.notes ?? []).map(word),
    sender,
  }
  return { to, subject: content.title, text: mailText(content), html: mailHtml(content, locale) }
}

/** Facts as they are read: days and amounts in the reader's language. */
function shownFacts(facts: MailFacts, locale: Locale): MailFacts {
  const shown = { ...facts }
  for (const name of MOMENTS) {
    const moment = facts[name]
    if (typeof moment === "string") shown[name] = longDate(new Date(moment), locale)
  }
  if (typeof facts.amount_cents === "number") shown.amount = money(facts.amount_cents, `${facts.currency}`, locale)
  return shown
}
