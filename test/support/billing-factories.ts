// A store's billing as it is lived: the clock driven to a moment, and what was said of it on the way.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { sendWaitingMails } from "../../src/mails/outbox"
import { type ClockRun, runBilling } from "../../src/platform/subscriptions/clock"
import { call, run } from "./app"
import { rows } from "./rows"

/** Runs the billing clock as if it were that moment. */
export const clockAt = (at: string | Date, store?: string): Promise<ClockRun> =>
  run((ctx) => runBilling(ctx, { at: new Date(at), store }))

/** Runs an operator command and answers its data. */
export const operate = async (command: string, options: Record<string, unknown> = {}, settings = {}) =>
  call("POST", `/api/operator/v1/${command}`, {
    token: "test-operator-token-0123456789ab",
    json: options,
    env: settings,
  })

export interface SentMail {
  to: string
  subject: string
  text: string
  html: string
}

/** Sends what waits in the outbox, and answers it. */
export async function sentMails(given: { now?: Date } = {}): Promise<SentMail[]> {
  const sent: SentMail[] = []
  vi.mocked(env.MAIL.send).mockImplementation((async (mail: SentMail) => {
    sent.push(mail)
    return { messageId: "1" }
  }) as never)
  await run((ctx) => sendWaitingMails(ctx), given)
  return sent
}

/** What was told of a store: event types, trail types and mail kinds, each in order. */
export async function toldOf(store: string) {
  const [events, trail, mails] = await Promise.all([
    rows("select type from webhook_events where store_id = ? order by rowid", store),
    rows("select type from audit_entries where store_id = ? order by id", store),
    rows("select kind from mails where store_id = ? order by id", store),
  ])
  return {
    events: events.map((row) => row.type),
    trail: trail.map((row) => row.type),
    mails: mails.map((row) => row.kind),
  }
}
