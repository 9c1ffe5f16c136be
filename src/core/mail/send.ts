// Sends mail through Cloudflare's Email Service. `wrangler dev` sends nothing: it writes each mail's text and HTML to
// files, prints their paths, and lists the mails in its explorer.
import { binding } from "../../bindings"
import { withDeadline } from "../../lib/deadline"
import { SECOND } from "../../lib/time"
import type { Ctx } from "../context"

export interface Mail {
  /** A single address without a name. */
  to: string
  subject: string
  text: string
  html?: string
  /** The sender's display name; the platform's by default. */
  fromName?: string
  /** The Reply-To address; the sender's by default. */
  replyTo?: string
  /** Identifies the mail. Every copy of it has the same reference. */
  reference: string
}

const SEND_TIMEOUT_MS = 30 * SECOND

/** Removes line breaks and control characters, which could inject a header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim()

/**
 * Sends a mail from MAIL_FROM. The service generates the `Message-ID` and has no idempotency key
 * (https://developers.cloudflare.com/email-service/reference/headers/), so a header of our own marks the copies of a
 * mail.
 * @throws Error when the service rejects it; DeadlineExceeded when it does not respond, although it may have sent it
 */
export async function sendMail({ env, settings }: Pick<Ctx, "env" | "settings">, mail: Mail): Promise<void> {
  const sent = binding(env, "MAIL").send({
    from: { name: oneLine(mail.fromName ?? settings.APP_NAME), email: settings.MAIL_FROM },
    to: mail.to,
    ...(mail.replyTo && { replyTo: mail.replyTo }),
    subject: oneLine(mail.subject),
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
    headers: { "X-Entity-Ref-ID": mail.reference },
  })
  await withDeadline(SEND_TIMEOUT_MS, sent)
}
