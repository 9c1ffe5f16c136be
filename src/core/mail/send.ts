// Sends mail through Cloudflare's Email Service. `wrangler dev` sends nothing: it writes each mail's text and HTML to
// files, prints their paths, and lists the mails in its explorer.
import { binding } from "../../bindings"
import type { Ctx } from "../context"

export interface Mail {
  /** A single address without a name. */
  to: string
  subject: string
  text: string
  html?: string
  /** The sender's display name; the platform's by default. */
  fromName?: string
}

/** Removes line breaks and control characters, which could inject a header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim()

/**
 * Sends a mail from MAIL_FROM.
 * @throws Error when the service rejects it
 */
export async function sendMail({ env, settings }: Pick<Ctx, "env" | "settings">, mail: Mail): Promise<void> {
  await binding(env, "MAIL").send({
    from: { name: oneLine(mail.fromName ?? settings.APP_NAME), email: settings.MAIL_FROM },
    to: mail.to,
    subject: oneLine(mail.subject),
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
  })
}
