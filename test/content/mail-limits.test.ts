// How many account mails a mailbox gets, and who can keep them from it.
import { expect, test, vi } from "vitest"
import { countMail, countMailTo, type MailPurpose } from "../../src/content/rate-limits"
import type { SiteCtx } from "../../src/content/site"
import { HOUR } from "../../src/lib/time"
import { run } from "../support/app"

interface Given {
  purpose?: MailPurpose
  site?: string
  ip?: string
  to?: string
  isConfirmed?: boolean
  hasAccount?: boolean
}

/** Asks whether a mail may be sent, as registrations and requests for mails do. */
const ask = ({ purpose = "verify", site = "s", ip = "192.0.2.1", to = "ada@example.com", ...given }: Given) =>
  run(({ env, log, after }) => {
    const ctx = { env, log, after, site: { id: site }, address: ip } as SiteCtx
    const mail = { purpose, to, isConfirmed: given.isConfirmed ?? false }
    return given.hasAccount === undefined ? countMail(ctx, mail) : countMailTo(ctx, mail, given.hasAccount)
  })

async function countAllowed(times: number, given: (n: number) => Given): Promise<number> {
  let allowed = 0
  for (let n = 0; n < times; n += 1) if (await ask(given(n))) allowed += 1
  return allowed
}

test("sends a mailbox 5 mails of one purpose an hour and 20 a day, and more only as the first of a site", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const manyNetworks = (n: number) => ({ ip: `10.0.${n}.1` })
  expect(await countAllowed(10, manyNetworks)).toBe(5)
  expect(await ask({ purpose: "reset" }), "another purpose").toBe(true)
  expect(await ask({ to: "bob@example.com" }), "another mailbox").toBe(true)
  expect(await countAllowed(10, (n) => ({ ...manyNetworks(n), site: "t" }))).toBe(1)
  for (let hour = 1; hour < 4; hour += 1) {
    vi.setSystemTime(Date.now() + HOUR)
    expect(await countAllowed(10, (n) => ({ ...manyNetworks(hour * 10 + n) }))).toBe(5)
  }
  vi.setSystemTime(Date.now() + HOUR)
  expect(await countAllowed(3, (n) => ({ ...manyNetworks(100 + n) })), "the first of the hour").toBe(1)
})

test("sends 15 mails a day to one mailbox because of one network, so that it stops no site's mails", async () => {
  const manySites = (n: number) => ({ site: `s${n}`, ip: `2001:db8:1:${n}::1` })
  expect(await countAllowed(40, manySites)).toBe(15)
  expect(await ask({ site: "t", ip: "192.0.2.2" })).toBe(true)
  // Four networks more use up the first mails of 60 sites, which is the price of never flooding a mailbox.
  expect(await countAllowed(60, (n) => ({ site: `t${n}`, ip: `10.0.${n % 4}.1` }))).toBe(49)
  expect(await ask({ site: "u", ip: "192.0.2.3" })).toBe(false)
  expect(await ask({ site: "v", ip: "192.0.2.3", isConfirmed: true }), "confirmed at this site").toBe(true)
})

test("counts the subaddresses of a mailbox together against one network only", async () => {
  expect(await countAllowed(60, (n) => ({ to: `Ada+${n}@example.com`, site: `s${n}` }))).toBe(15)
  expect(await ask({ to: "ada+shop@example.com", ip: "192.0.2.2" })).toBe(true)
  expect(await ask({ to: "ada@example.com", ip: "192.0.2.2" })).toBe(true)
})

test("sends the notice of a changed address whatever its network has caused before, and 75 a day to one mailbox", async () => {
  const change = { purpose: "email_changed" as const }
  const decoy = (n: number) => ({ ...change, to: `ada+${n}@example.com`, site: `decoy${n}` })
  expect(await countAllowed(40, decoy)).toBe(40)
  expect(await ask({ ...change, site: "real" })).toBe(true)
  expect(await countAllowed(100, (n) => decoy(100 + n)), "15 of the network, and 60 first mails of sites").toBe(34)
  expect(await ask({ ...change, site: "another", isConfirmed: true })).toBe(true)
  expect(await ask({ ...change, site: "another", ip: "192.0.2.2" }), "from another network").toBe(true)
})

test("sends a confirmed address the first mail of a site although its network has used up its limit", async () => {
  const reset = { purpose: "reset" as const, hasAccount: true }
  expect(await countAllowed(20, (n) => ({ ...reset, to: `ada+${n}@example.com` }))).toBe(15)
  expect(await ask({ ...reset, site: "t" })).toBe(false)
  expect(await ask({ ...reset, site: "t", isConfirmed: true })).toBe(true)
})

test("counts no mail that is not sent, and no request", async () => {
  expect(await countAllowed(20, () => ({ hasAccount: false }))).toBe(0)
  expect(await countAllowed(20, (n) => ({ to: "bob@example.com", site: `s${n % 2}`, hasAccount: true }))).toBe(5)
  expect(await countAllowed(9, (n) => ({ to: "bob+1@example.com", site: `t${n}`, hasAccount: true }))).toBe(9)
  expect(await ask({ hasAccount: true })).toBe(true)
})

test("holds one network to 15 mails, also at the same moment", async () => {
  const at = (n: number) => ask({ site: `s${n}`, ip: `2001:db8:1:${n % 4}::1`, hasAccount: true })
  const allowed = await Promise.all(Array.from({ length: 90 }, (_, n) => at(n)))
  expect(allowed.filter(Boolean)).toHaveLength(15)
  expect(await ask({ site: "t", ip: "192.0.2.2" })).toBe(true)
})

test("holds requests at the same moment to the first mails of 60 sites", async () => {
  const all = Array.from({ length: 90 }, (_, n) => ask({ site: `s${n}`, ip: `10.0.${n}.1` }))
  const allowed = (await Promise.all(all)).filter(Boolean).length
  expect(allowed).toBeGreaterThan(55)
  expect(allowed).toBeLessThanOrEqual(65)
})
