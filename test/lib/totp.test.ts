// Codes of authenticator apps: the vectors of RFC 6238, the window, and agreement with another implementation.
import { Secret, TOTP } from "otpauth"
import { expect, test } from "vitest"
import { computeTotpCode, findTotpStep, formatTotpUri, generateTotpSecret, getTotpStep } from "../../src/lib/totp"

/** The key of the vectors, `12345678901234567890`. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

test("computes the codes of RFC 6238, appendix B", async () => {
  const vectors = {
    59: "287082",
    1111111109: "081804",
    1111111111: "050471",
    1234567890: "005924",
    20000000000: "353130",
  }
  for (const [seconds, code] of Object.entries(vectors))
    expect(await computeTotpCode(SECRET, getTotpStep(new Date(Number(seconds) * 1000))), seconds).toBe(code)
})

test("accepts the code of one period before and after, and no other", async () => {
  const at = new Date("2026-11-27T10:00:10Z")
  const step = getTotpStep(at)
  const find = async (distance: number) => findTotpStep(SECRET, await computeTotpCode(SECRET, step + distance), at)
  expect(await Promise.all([-1, 0, 1].map(find))).toEqual([step - 1, step, step + 1])
  expect(await Promise.all([-2, 2].map(find))).toEqual([null, null])
  expect(await findTotpStep(SECRET, "", at)).toBeNull()
})

test("generates secrets of 160 bits, whose codes and URI are those of another implementation", async () => {
  const secret = generateTotpSecret()
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const uri = formatTotpUri({ issuer: "Shops & Co", account: "ada+1@example.com", secret })
  const other = new TOTP({ issuer: "Shops & Co", label: "ada+1@example.com", secret: Secret.fromBase32(secret) })
  expect(new URL(uri)).toEqual(new URL(other.toString()))
  const timestamp = Date.UTC(2026, 10, 27)
  expect(await computeTotpCode(secret, getTotpStep(new Date(timestamp)))).toBe(other.generate({ timestamp }))
})
