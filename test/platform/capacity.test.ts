// A database that fills up is told of before it is full.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { warnOfSize } from "../../src/platform/system/capacity"
import { readDatabases } from "../../src/platform/system/service"
import { run } from "../support/app"

test("operators are told from 70 % of 10 GB on, and not before", async () => {
  await env.DB.exec(
    "insert into operators (email, name, password_hash, disabled_at, created_at) values ('ada@example.com', 'Ada', '-', null, 1), ('gone@example.com', 'Gone', '-', 2, 1)",
  )
  const send = vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
  const look = (bytes: number | null) =>
    run((ctx) =>
      warnOfSize(ctx, async () => [
        { name: "DB", bytes },
        { name: "SITES_1", bytes: 1 },
      ]),
    )
  await look(7_000_000_000)
  await look(null)
  expect(send).not.toHaveBeenCalled()
  await look(7_100_000_000)
  expect(send).toHaveBeenCalledOnce()
  const [mail] = send.mock.calls[0] as unknown as [{ to: string; text: string }]
  expect(mail.to).toBe("ada@example.com")
  expect(mail.text).toContain("DB: 71 % of 10 GB")
  expect(mail.text).not.toContain("SITES_1")
})

test("every database tells its size", async () => {
  const sizes = await run(readDatabases)
  expect(sizes.map(({ name }) => name)).toContain("DB")
  for (const { bytes } of sizes) expect(bytes).toBeGreaterThan(10_000)
})
