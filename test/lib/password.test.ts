// Password hashes have OWASP's cost, and match their password only.
import { expect, test } from "vitest"
import { hashPassword, verifyPassword } from "../../src/lib/password"

test("hashes with scrypt, N = 2^14, r = 8, p = 5 and a new salt", async () => {
  const [first, second] = [await hashPassword("correct-horse"), await hashPassword("correct-horse")]
  expect(first).toMatch(/^scrypt\$14\$8\$5\$[\w+/]{22}==\$[\w+/]{43}=$/)
  expect(second).not.toBe(first)
})

test("matches the password, and neither another one nor a hash in another format", async () => {
  const stored = await hashPassword("correct-horse")
  expect(await verifyPassword("correct-horse", stored)).toBe(true)
  expect(await verifyPassword("Correct-horse", stored)).toBe(false)
  for (const other of ["", "plain", "bcrypt$14$8$5$AAAA$AAAA", "scrypt$14$8$5"])
    expect(await verifyPassword("correct-horse", other), other).toBe(false)
})
