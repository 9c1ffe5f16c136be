// Renders account mails: address confirmation, password reset, invitations, and the notice of a changed address.
import { fillPlaceholders, type Locale, type Translations, translate } from "../../core/i18n/locale"
import { mailHtml, mailText } from "../../core/mail/layout"
import type { Mail } from "../../core/mail/send"
import type { MailNotice } from "../../db/schema/sites/account-mails"
import type { MailedLink } from "../accounts/mailed-tokens"
import type { SiteCtx } from "../site"
import type { AccountMailStrings } from "./account-strings"

/** Returns the sender name of a site's mails. */
export const getSiteName = ({ site, settings }: Pick<SiteCtx, "site" | "settings">): string =>
  site.store?.name ?? settings.APP_NAME

interface AccountMailFacts {
  to: string
  /** The site's name. */
  sender: string
  locale: Locale
  /** The token and its URL; null for a mail without an action. */
  link: MailedLink | null
  /** Whether users of the site can only sign in with a confirmed address. */
  isConfirmationRequired: boolean
}

/**
 * Renders an account mail.
 * @param strings of its purpose
 */
export function renderAccountMail(
  strings: AccountMailStrings,
  { to, sender, locale, link, isConfirmationRequired }: AccountMailFacts,
): Omit<Mail, "reference"> {
  const t = (sentence: Translations) =>
    translate(sentence, locale, { site: sender, ...(link && { token: link.token }) })
  const content = {
    title: t(strings.title),
    paragraphs: [t((!isConfirmationRequired && strings.optionalBody) || strings.body)],
    ...(strings.action && link && { action: { label: t(strings.action), url: link.url } }),
    notes: [strings.lifetime, strings.disclaimer].flatMap((note) => (note ? [t(note)] : [])),
    sender,
  }
  return {
    to,
    subject: `${content.title} · ${sender}`,
    text: mailText(content),
    html: mailHtml(content, locale),
    fromName: sender,
  }
}

/**
 * Renders a mail whose text was written with its row.
 * @param facts the values of its placeholders
 * @param baseUrl of the site
 */
export function renderNotice(
  { title, paragraphs, action, notes, replyTo }: MailNotice,
  {
    to,
    sender,
    locale,
    baseUrl,
    facts,
  }: { to: string; sender: string; locale: Locale; baseUrl: string; facts: Record<string, unknown> },
): Omit<Mail, "reference"> {
  const content = {
    title: fillPlaceholders(title, facts),
    paragraphs,
    ...(action && { action: { label: action.label, url: baseUrl + fillPlaceholders(action.path, facts) } }),
    notes,
    sender,
  }
  return {
    to,
    subject: `${content.title} · ${sender}`,
    text: mailText(content),
    html: mailHtml(content, locale),
    fromName: sender,
    ...(replyTo && { replyTo }),
  }
}
