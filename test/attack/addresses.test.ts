// What one address may ask of the content API, and what counts as one address.
import { describe, expect, test } from "vitest"
import { content, makeUser } from "../support/content-factories"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })

let serial = 0

describe("one line of IPv6", () => {
  const guess = async (ip: string) =>
    (
      await content("POST", "/password/reset", {
        json: {
          email: `nobody${++serial}@example.com`,
          token: "x",
          password: "wrong-1",
          password_confirmation: "wrong-1",
        },
        headers: from(ip),
      })
    ).status

  test("a /64 has one limit, and the /48 around it four times as much, of which refused requests use nothing", async () => {
    for (let net = 1; net < 5; net++) {
      for (let n = 0; n < 10; n++) expect(await guess(`2001:db8:3:${net}::${n}`)).toBe(422)
      if (net < 4) expect(await guess(`2001:db8:3:${net}:ffff::1`)).toBe(429)
    }
    expect(await guess("2001:db8:3:9::1")).toBe(429)
    expect(await guess("2001:db8:4:1::1")).toBe(422)
  })

  test("is the IPv4 address that it stands for", async () => {
    for (let n = 0; n < 10; n++) expect(await guess("::ffff:192.0.2.1")).toBe(422)
    expect(await guess("192.0.2.1")).toBe(429)
  })
})

test("whether an address has an account may be asked sixty times a minute", async () => {
  const ask = async (ip: string) =>
    (await content("POST", "/email/check", { json: { email: "a@example.com" }, headers: from(ip) })).status
  for (let n = 0; n < 60; n++) expect(await ask("10.9.9.9")).toBe(200)
  expect(await ask("10.9.9.9")).toBe(429)
  expect(await ask("10.9.9.8")).toBe(200)
})

test("devices without a user are registered sixty times a minute, and those of users as often as they like", async () => {
  const { token } = await makeUser()
  const register = async (device: string, bearer?: string) =>
    (await content("POST", "/device-tokens", { json: { token: device }, headers: from("10.8.8.8"), token: bearer }))
      .status
  for (let n = 0; n < 60; n++) expect(await register(`d${n}`)).toBe(200)
  expect(await register("d60")).toBe(429)
  expect(await register("d61", token)).toBe(200)
})
