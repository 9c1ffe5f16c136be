import { expect, test } from "vitest"
import { buildTarHeader, buildTarPadding } from "../../src/lib/tar"
import { readTar } from "../support/tar"

const modifiedAt = new Date("2026-01-02T03:04:05Z")
const encode = (text: string) => new TextEncoder().encode(text)

test.each(["a.txt", `${"long/".repeat(40)}name.txt`, "Ünïcode/ảnh.png", "x".repeat(100)])(
  "an archive contains %s with its bytes",
  (path) => {
    const content = encode("Hello")
    const header = buildTarHeader({ path, size: content.length, modifiedAt })
    const bytes = new Uint8Array([...header, ...content, ...buildTarPadding(content.length), ...new Uint8Array(1024)])
    expect(bytes.length % 512).toBe(0)
    expect([...readTar(bytes)]).toEqual([[path, content]])
  },
)

test("states a size beyond 8 GB in a pax record whose length includes itself", () => {
  const size = 9 * 1024 ** 3
  const record = `19 size=${size}\n`
  const header = new TextDecoder().decode(buildTarHeader({ path: "big", size, modifiedAt }))
  expect(header).toContain(record)
  expect(record).toHaveLength(19)
})
