// Helpers for billing tests: runs the clock at a given time, sends mails, and reads a store's history.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { sendDueMails } from "../../src/mails/outbox"
import { type ClockRun, runBilling } from "../../src/platform/subscriptions/clock"
import { run } from "./app"
import { rows } from "./rows"

/** Runs the billing clock at the given time. */
export const runClockAt = (at: string | Date, store?: string): Promise<ClockRun> =>
  run((ctx) => runBilling(ctx, { at: new Date(at), store }))

export interface SentMail {
  to: string
  subject: string
  text: string
  html: string
  replyTo?: string
}

/** Sends the due mails in the outbox and returns them. */
export async function collectSentMails(options: Parameters<typeof run>[1] = {}): Promise<SentMail[]> {
  const sent: SentMail[] = []
  vi.mocked(env.MAIL.send).mockImplementation((async (mail: SentMail) => {
    sent.push(mail)
    return { messageId: "1" }
  }) as never)
  await run((ctx) => sendDueMails(ctx), options)
  return sent
}

/** Reads a store's event types, audit log types and mail kinds, each in order. */
export async function readHistory(store: string) {
  const [events, auditLog, mails] = await Promise.all([
    rows("select type from webhook_events where store_id = ? order by rowid", store),
    rows("select type from audit_entries where store_id = ? order by id", store),
    rows("select kind from mails where store_id = ? order by id", store),
  ])
  return {
    events: events.map((row) => row.type),
    auditLog: auditLog.map((row) => row.type),
    mails: mails.map((row) => row.kind),
  }
}
