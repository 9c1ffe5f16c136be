// The outbox of account mails: a mail is neither lost nor sent without end when the mail service, a queue or the Worker
// fails.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { sendDueAccountMails } from "../../src/content/mails/outbox"
import { addMs, HOUR, MINUTE } from "../../src/lib/time"
import { readLatestMetrics } from "../../src/platform/metrics/system"
import { run } from "../support/app"
import {
  captureMails,
  content,
  hostOfStore,
  makeSettings,
  makeUser,
  PASSWORD,
  parseMailLink,
} from "../support/content-factories"
import { measureCriticalPath } from "../support/critical-path"
import { makeReadyStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { cronWithJobs } from "../support/jobs"
import { siteRows } from "../support/rows"

const EMAIL = "ada@example.com"
const MAILED = { messageId: "1" } as never

const mailService = () => vi.mocked(env.MAIL.send)
const forgot = (email = EMAIL, host = "localhost") => content("POST", "/password/forgot", { host, json: { email } })
const sendDue = (now = new Date()) => run((ctx) => sendDueAccountMails(ctx, "SITES_1"), { now })
const outbox = () => siteRows("select * from account_mails order by id")

const tokenOf = (index: number) =>
  parseMailLink(mailService().mock.calls[index]?.[0] as unknown as { text: string }).token

describe("a mail", () => {
  beforeEach(async () => {
    await makeUser("central", { email: EMAIL })
    mailService().mockResolvedValue(MAILED)
  })

  test("is stored in the transaction of the change, with an encrypted token, and deleted once it is sent", async () => {
    await forgot()
    expect(mailService()).not.toHaveBeenCalled()
    const [row] = await outbox()
    expect(row).toMatchObject({ site_id: "central", purpose: "reset", recipient: EMAIL, attempts: 0 })
    await sendDue()
    expect(await outbox()).toEqual([])
    const token = tokenOf(0)
    expect(JSON.stringify(row)).not.toContain(token)
    const json = { email: EMAIL, token, password: "new-secret", password_confirmation: "new-secret" }
    expect((await content("POST", "/password/reset", { json })).status).toBe(200)
    await sendDue(addMs(new Date(), HOUR))
    expect(mailService()).toHaveBeenCalledTimes(1)
  })

  test("arrives once, with the same token, after the mail service has failed", async () => {
    await forgot()
    mailService().mockRejectedValueOnce(new Error("the mail service is down"))
    await sendDue()
    expect(await outbox()).toMatchObject([{ attempts: 1, unconfirmed: 0 }])
    const later = addMs(new Date(), 3 * MINUTE)
    await Promise.all([1, 2, 3].map(() => sendDue(later)))
    expect(mailService()).toHaveBeenCalledTimes(2)
    expect(tokenOf(1)).toBe(tokenOf(0))
    expect(await outbox()).toEqual([])
  })

  test("arrives when the Worker dies between the commit and sending", async () => {
    // The message of the request is lost: queues are mocked.
    await forgot()
    await cronWithJobs("* * * * *")
    expect(mailService()).toHaveBeenCalledTimes(1)
    expect(await outbox()).toEqual([])
  })

  test("arrives when the queue does not accept its message", async () => {
    vi.mocked(env.JOB_QUEUE.send).mockRejectedValueOnce(new Error("Queue sends are failing"))
    expect((await forgot()).status).toBe(200)
    await cronWithJobs("* * * * *")
    expect(mailService()).toHaveBeenCalledTimes(1)
  })

  test("arrives when the Worker dies while it sends it, at most three times", async () => {
    await makeSettings("central", { emailVerification: true })
    await content("POST", "/resend-verify-account-email", { json: { email: EMAIL } })
    let now = new Date()
    for (let copies = 1; copies <= 4; copies++) {
      const failures = failRoundTrips(() => (mailService().mock.calls.length >= copies ? "before" : null))
      await sendDue(now)
      failures.mockRestore()
      now = addMs(now, 16 * MINUTE)
    }
    expect(mailService()).toHaveBeenCalledTimes(3)
    expect(await outbox()).toEqual([])
    const headers = mailService().mock.calls.map(([mail]) => (mail as { headers: object }).headers)
    expect(new Set(headers.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test("is deleted after six failures, or when its token has expired", async () => {
    await makeSettings("central", { emailVerification: true })
    await content("POST", "/resend-verify-account-email", { json: { email: EMAIL } })
    await forgot()
    mailService().mockRejectedValue(new Error("the mail service is down"))
    let now = new Date()
    for (let attempt = 1; attempt <= 6; attempt++) {
      expect((await outbox()).map(({ purpose }) => purpose)).toEqual(["verify", "reset"])
      await sendDue(now)
      now = addMs(now, 2 ** attempt * MINUTE)
    }
    expect(await outbox()).toEqual([])
    // The sixth attempt would be two minutes after the reset token has expired.
    expect(mailService()).toHaveBeenCalledTimes(6 + 5)
  })

  test("is not sent when its store was deleted, although a later store has its name", async () => {
    const store = await makeReadyStore()
    await makeUser(store, { email: EMAIL })
    await forgot(EMAIL, hostOfStore(store))
    expect(await outbox()).toHaveLength(1)
    await env.DB.prepare("update stores set seq = seq + 1 where id = ?").bind(store).run()
    await sendDue()
    expect([mailService().mock.calls.length, await outbox()]).toEqual([0, []])
  })
})

test("stores no mail for an unknown address, with the same response and the same round trips", async () => {
  await makeUser("central", { email: EMAIL })
  const unknown = await measureCriticalPath(() => forgot("unknown@example.com"))
  expect(await outbox()).toEqual([])
  const known = await measureCriticalPath(() => forgot(EMAIL))
  expect(await outbox()).toHaveLength(1)
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  expect(unknown.roundTrips).toBe(known.roundTrips)
})

test("counts the mail of a registration when it is sent, and not again when it is sent once more", async () => {
  await makeSettings("central", { emailVerification: true })
  const register = { name: "Ada Byron", email: EMAIL, password: PASSWORD, password_confirmation: PASSWORD }
  expect((await content("POST", "/register", { json: register })).status).toBe(201)
  mailService().mockRejectedValueOnce(new Error("the mail service is down"))
  expect(await outbox()).toMatchObject([{ is_counted: 0 }])
  await sendDue()
  expect(await outbox()).toMatchObject([{ is_counted: 1 }])
  await sendDue(addMs(new Date(), 3 * MINUTE))
  const mails = captureMails()
  for (let n = 0; n < 6; n++) await content("POST", "/resend-verify-account-email", { json: { email: EMAIL } })
  expect(mails, "five per hour, with that of the registration").toHaveLength(4)
})

test("counts the mails that were refused for the alert", async () => {
  await makeUser("central", { email: EMAIL })
  mailService().mockRejectedValue(new Error("the mail service is down"))
  await forgot()
  await sendDue()
  await sendDue(addMs(new Date(), 3 * MINUTE))
  await cronWithJobs("* * * * *")
  expect((await run(readLatestMetrics))?.metrics.mailsRefused).toBe(1)
})
