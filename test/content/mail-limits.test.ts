// The limits of account mails per mailbox, address and network.
import { expect, test, vi } from "vitest"
import { countMail, countRequestedMail } from "../../src/content/rate-limits"
import type { SiteCtx } from "../../src/content/site"
import type { AccountMailPurpose } from "../../src/db/schema/sites/account-mails"
import { HOUR } from "../../src/lib/time"
import { run } from "../support/app"

interface MailRequest {
  purpose?: AccountMailPurpose
  site?: string
  ip?: string
  to?: string
  isConfirmed?: boolean
  hasAccount?: boolean
}

/** Counts a mail as registrations and mail requests do, and returns whether it may be sent. */
const countOne = ({ purpose = "verify", site = "s", ip = "192.0.2.1", to = "ada@example.com", ...rest }: MailRequest) =>
  run(({ env, log, inBackground: after }) => {
    const ctx = { env, log, inBackground: after, site: { id: site }, address: ip } as SiteCtx
    const mail = { purpose, to, isConfirmed: rest.isConfirmed ?? false }
    return rest.hasAccount === undefined ? countMail(ctx, mail) : countRequestedMail(ctx, mail, rest.hasAccount)
  })

async function countAllowed(times: number, buildRequest: (n: number) => MailRequest): Promise<number> {
  let allowed = 0
  for (let n = 0; n < times; n += 1) if (await countOne(buildRequest(n))) allowed += 1
  return allowed
}

test("sends a mailbox 5 mails per purpose and hour and 20 per day, and beyond that only the first of a site", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const manyNetworks = (n: number) => ({ ip: `10.0.${n}.1` })
  expect(await countAllowed(10, manyNetworks)).toBe(5)
  expect(await countOne({ purpose: "reset" }), "another purpose").toBe(true)
  expect(await countOne({ to: "bob@example.com" }), "another mailbox").toBe(true)
  expect(await countAllowed(10, (n) => ({ ...manyNetworks(n), site: "t" }))).toBe(1)
  for (let hour = 1; hour < 4; hour += 1) {
    vi.setSystemTime(Date.now() + HOUR)
    expect(await countAllowed(10, (n) => ({ ...manyNetworks(hour * 10 + n) }))).toBe(5)
  }
  vi.setSystemTime(Date.now() + HOUR)
  expect(await countAllowed(3, (n) => ({ ...manyNetworks(100 + n) })), "the first of the hour").toBe(1)
})

test("limits one network to 15 mails per mailbox and day, so that it cannot block the mails of other sites", async () => {
  const manySites = (n: number) => ({ site: `s${n}`, ip: `2001:db8:1:${n}::1` })
  expect(await countAllowed(40, manySites)).toBe(15)
  expect(await countOne({ site: "t", ip: "192.0.2.2" })).toBe(true)
  // Four more networks use up the first mails of 60 sites. That is the price of never flooding a mailbox.
  expect(await countAllowed(60, (n) => ({ site: `t${n}`, ip: `10.0.${n % 4}.1` }))).toBe(49)
  expect(await countOne({ site: "u", ip: "192.0.2.3" })).toBe(false)
  expect(await countOne({ site: "v", ip: "192.0.2.3", isConfirmed: true }), "confirmed at this site").toBe(true)
})

test("counts all subaddresses of a mailbox as one, for the limit per network only", async () => {
  expect(await countAllowed(60, (n) => ({ to: `Ada+${n}@example.com`, site: `s${n}` }))).toBe(15)
  expect(await countOne({ to: "ada+shop@example.com", ip: "192.0.2.2" })).toBe(true)
  expect(await countOne({ to: "ada@example.com", ip: "192.0.2.2" })).toBe(true)
})

test("sends the notice of a changed address although its network has used up its limit, at most 75 per mailbox and day", async () => {
  const change = { purpose: "email_changed" as const }
  const decoy = (n: number) => ({ ...change, to: `ada+${n}@example.com`, site: `decoy${n}` })
  expect(await countAllowed(40, decoy)).toBe(40)
  expect(await countOne({ ...change, site: "real" })).toBe(true)
  expect(await countAllowed(100, (n) => decoy(100 + n)), "15 of the network, and 60 first mails of sites").toBe(34)
  expect(await countOne({ ...change, site: "another", isConfirmed: true })).toBe(true)
  expect(await countOne({ ...change, site: "another", ip: "192.0.2.2" }), "from another network").toBe(true)
})

test("sends a confirmed address the first mail of a site although its network has used up its limit", async () => {
  const reset = { purpose: "reset" as const, hasAccount: true }
  expect(await countAllowed(20, (n) => ({ ...reset, to: `ada+${n}@example.com` }))).toBe(15)
  expect(await countOne({ ...reset, site: "t" })).toBe(false)
  expect(await countOne({ ...reset, site: "t", isConfirmed: true })).toBe(true)
})

test("does not count requests or mails that are not sent", async () => {
  expect(await countAllowed(20, () => ({ hasAccount: false }))).toBe(0)
  expect(await countAllowed(20, (n) => ({ to: "bob@example.com", site: `s${n % 2}`, hasAccount: true }))).toBe(5)
  expect(await countAllowed(9, (n) => ({ to: "bob+1@example.com", site: `t${n}`, hasAccount: true }))).toBe(9)
  expect(await countOne({ hasAccount: true })).toBe(true)
})

test("limits one network to 15 mails, also for concurrent requests", async () => {
  const at = (n: number) => countOne({ site: `s${n}`, ip: `2001:db8:1:${n % 4}::1`, hasAccount: true })
  const allowed = await Promise.all(Array.from({ length: 90 }, (_, n) => at(n)))
  expect(allowed.filter(Boolean)).toHaveLength(15)
  expect(await countOne({ site: "t", ip: "192.0.2.2" })).toBe(true)
})

test("limits concurrent requests to the first mails of 60 sites", async () => {
  const all = Array.from({ length: 90 }, (_, n) => countOne({ site: `s${n}`, ip: `10.0.${n}.1` }))
  const allowed = (await Promise.all(all)).filter(Boolean).length
  expect(allowed).toBeGreaterThan(55)
  expect(allowed).toBeLessThanOrEqual(65)
})
