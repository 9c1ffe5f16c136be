// Mail, through Cloudflare's Email Service. `wrangler dev` sends nothing: it writes the text and the HTML of each mail to files
// and prints their paths, and lists the mails in its explorer.
import type { Ctx } from "../context"

export interface Mail {
  /** One address, without a name. */
  to: string
  subject: string
  text: string
  html?: string
  /** The sender's name as readers see it; the platform's when absent. */
  fromName?: string
}

/** One line, whatever a name or a subject was made of: a line break would start another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim()

/**
 * Hands a mail to the mail service; its sender is MAIL_FROM.
 * @throws Error when the service does not take it
 */
export async function sendMail({ env, settings }: Pick<Ctx, "env" | "settings">, mail: Mail): Promise<void> {
  await env.MAIL.send({
    from: { name: oneLine(mail.fromName ?? settings.APP_NAME), email: settings.MAIL_FROM },
    to: mail.to,
    subject: oneLine(mail.subject),
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
  })
}
