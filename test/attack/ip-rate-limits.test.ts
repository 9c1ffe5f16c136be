// Rate limits per IP address of the content API and of the pages of mailed links, and which addresses share a limit.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { sha256 } from "../../src/lib/hash"
import { call } from "../support/app"
import { content, makeUser } from "../support/content-factories"
import { captureStatements } from "../support/round-trips"
import { nextSerial } from "../support/serial"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })

describe("IPv6 networks", () => {
  const guess = async (ip: string) =>
    (
      await content("POST", "/password/reset", {
        json: {
          email: `unknown${nextSerial()}@example.com`,
          token: "x",
          password: "wrong-guess",
          password_confirmation: "wrong-guess",
        },
        headers: from(ip),
      })
    ).status

  test("limits a /64 as one address and a /48 to four times as much, without counting refused requests", async () => {
    for (let net = 1; net < 5; net++) {
      for (let n = 0; n < 10; n++) expect(await guess(`2001:db8:3:${net}::${n}`)).toBe(422)
      if (net < 4) expect(await guess(`2001:db8:3:${net}:ffff::1`)).toBe(429)
    }
    expect(await guess("2001:db8:3:9::1")).toBe(429)
    expect(await guess("2001:db8:4:1::1")).toBe(422)
  })

  test("counts an IPv4-mapped IPv6 address as the IPv4 address", async () => {
    for (let n = 0; n < 10; n++) expect(await guess("::ffff:192.0.2.1")).toBe(422)
    expect(await guess("192.0.2.1")).toBe(429)
  })
})

test("checks whether an e-mail address has an account at most sixty times a minute per IP address", async () => {
  const checkEmail = async (ip: string) =>
    (await content("POST", "/email/check", { json: { email: "a@example.com" }, headers: from(ip) })).status
  for (let n = 0; n < 60; n++) expect(await checkEmail("10.9.9.9")).toBe(200)
  expect(await checkEmail("10.9.9.9")).toBe(429)
  expect(await checkEmail("10.9.9.8")).toBe(200)
})

test("registers sixty devices a minute per IP address without a user, and does not count those of users", async () => {
  const { token } = await makeUser()
  const register = async (device: string, bearer?: string) =>
    (await content("POST", "/device-tokens", { json: { token: device }, headers: from("10.8.8.8"), token: bearer }))
      .status
  for (let n = 0; n < 60; n++) expect(await register(`d${n}`)).toBe(200)
  expect(await register("d60")).toBe(429)
  expect(await register("d61", token)).toBe(200)
})

test("opens sixty links to confirm an address a minute per IP address, and writes nothing for a forged one", async () => {
  const user = await makeUser("central", { emailVerifiedAt: null })
  const open = (token: string, ip = "10.7.7.7") =>
    call("GET", `/account/verify-email?email=${encodeURIComponent(user.email)}&token=${token}`, { headers: from(ip) })
  const statements = (await captureStatements(() => open("forged"))).flat()
  expect(statements.filter((statement) => /^(insert|update|delete)/.test(statement))).toEqual([])
  for (let n = 1; n < 60; n++) expect((await open(`forged${n}`)).status).toBe(422)
  const token = "valid".repeat(8)
  await env.SITES_1.prepare(
    "insert into mailed_tokens (site_id, user_id, purpose, hash, expires_at) values (?, ?, 'verify', ?, ?)",
  )
    .bind("central", user.id, await sha256(token), Date.now() + 60_000)
    .run()
  const refused = await open(token)
  expect([refused.status, refused.text.includes("Too many attempts")]).toEqual([429, true])
  expect((await open(token, "10.7.7.8")).status).toBe(200)
})
