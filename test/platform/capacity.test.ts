// The warning about nearly full databases.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { warnOfDatabaseSize } from "../../src/platform/system/capacity"
import { readDatabaseSizes } from "../../src/platform/system/service"
import { run } from "../support/app"

test("warns active operators of a database above 70 % of 10 GB", async () => {
  await env.DB.exec(
    "insert into operators (email, name, password_hash, disabled_at, created_at) values ('ada@example.com', 'Ada', '-', null, 1), ('gone@example.com', 'Gone', '-', 2, 1)",
  )
  const send = vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
  const warnAt = (bytes: number | null) =>
    run((ctx) =>
      warnOfDatabaseSize(ctx, async () => [
        { name: "DB", bytes },
        { name: "SITES_1", bytes: 1 },
      ]),
    )
  await warnAt(7_000_000_000)
  await warnAt(null)
  expect(send).not.toHaveBeenCalled()
  await warnAt(7_100_000_000)
  expect(send).toHaveBeenCalledOnce()
  const [mail] = send.mock.calls[0] as unknown as [{ to: string; text: string }]
  expect(mail.to).toBe("ada@example.com")
  expect(mail.text).toContain("DB: 71 % of 10 GB")
  expect(mail.text).not.toContain("SITES_1")
})

test("reads the size of every database", async () => {
  const sizes = await run(readDatabaseSizes)
  expect(sizes.map(({ name }) => name)).toContain("DB")
  for (const { bytes } of sizes) expect(bytes).toBeGreaterThan(10_000)
})
