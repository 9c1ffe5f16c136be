// The rate limit of password hashing.
import { expect, test } from "vitest"
import { hashingLimits, permitHashing } from "../../src/core/auth/password-hashing"
import { takeTokens } from "../../src/core/http/rate-limit"
import { run } from "../support/app"

const runFrom = (address: string) => (work: (ctx: Parameters<Parameters<typeof run>[0]>[0]) => Promise<unknown>) =>
  run((ctx) => work({ ...ctx, address }))

test("allows as many hashes as were counted", async () => {
  await runFrom("192.0.2.1")(async (ctx) => {
    const hasher = await permitHashing(ctx, 2)
    const stored = await hasher.hash("correct-horse")
    expect(await hasher.verify("correct-horse", stored)).toBe(true)
    await expect(hasher.verify("correct-horse", stored)).rejects.toThrow("More password hashes")
  })
})

test("never matches a password of an unknown account", async () => {
  await runFrom("192.0.2.1")(async (ctx) => {
    expect(await (await permitHashing(ctx)).verify("correct-horse", undefined)).toBe(false)
  })
})

test("refuses the 101st hash per minute of a network, over all addresses of an IPv6 /64", async () => {
  await runFrom("2001:db8:1:2::1")(async (ctx) => {
    for (let n = 0; n < 98; n += 1) await takeTokens(ctx.env, ctx.log, hashingLimits(ctx))
    await permitHashing({ ...ctx, address: "2001:db8:1:2::2" }, 2)
    await expect(permitHashing(ctx)).rejects.toMatchObject({ code: "rate_limited" })
    await permitHashing({ ...ctx, address: "2001:db8:1:3::1" })
  })
})
