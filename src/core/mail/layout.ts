// Renders mails as text and HTML. User-chosen names never appear in mails: anyone could register another person's
// address and use the name to send them a message.
import { html } from "hono/html"
import { BRAND_COLORS } from "../html/brand"

export interface MailContent {
  /** Also the subject. */
  title: string
  paragraphs: string[]
  /** The call to action, if any. */
  action?: { label: string; url: string }
  /** Fine print below the action. */
  notes: string[]
  /** The signature: the store's or the platform's name. */
  sender: string
}

/** Renders the mail as plain text, with its link on a separate line. */
export const mailText = ({ title, paragraphs, action, notes, sender }: MailContent): string =>
  `${[title, ...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), ...notes, `-- \n${sender}`].join("\n\n")}\n`

const [GROUND] = BRAND_COLORS.ground
const [CARD] = BRAND_COLORS.card
const [INK] = BRAND_COLORS.ink
const [SOFT] = BRAND_COLORS.soft
const [ACCENT] = BRAND_COLORS.accent
const [ON_ACCENT] = BRAND_COLORS["on-accent"]

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Renders the mail as HTML, with tables and inline styles for the sake of mail clients. */
export function mailHtml({ title, paragraphs, action, notes, sender }: MailContent, locale: string): string {
  const page = html`<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;background:${GROUND};${FONT};color:${INK}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:${CARD};border-radius:12px">
<tr><td style="padding:32px 32px 8px;font-size:14px;font-weight:600;color:${ACCENT}">${sender}</td></tr>
<tr><td style="padding:0 32px"><h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${title}</h1>
${paragraphs.map((text) => html`<p style="margin:0 0 16px;font-size:16px;line-height:1.5;white-space:pre-line">${text}</p>`)}
${
  action
    ? html`<p style="margin:24px 0"><a href="${action.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${ACCENT};color:${ON_ACCENT};font-size:16px;text-decoration:none">${action.label}</a></p>
<p style="margin:0 0 16px;font-size:13px;line-height:1.5;color:${SOFT};word-break:break-all">${action.url}</p>`
    : ""
}</td></tr>
<tr><td style="padding:8px 32px 32px">
${notes.map((text) => html`<p style="margin:0 0 8px;font-size:13px;line-height:1.5;color:${SOFT}">${text}</p>`)}</td></tr>
</table></td></tr></table>
</body>
</html>`
  return page.toString()
}
