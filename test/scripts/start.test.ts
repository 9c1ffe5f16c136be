// Runs scripts/start.ts as a process, without starting a platform.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project"
import { renderBanner } from "../../tools/local/banner"

test.each(["--help", "-h"])("npm start -- %s prints the options, also when the port is in use", async (option) => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const env = { ...process.env, PORT: String((server.address() as AddressInfo).port) }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/start.ts"), option], {
    env,
    encoding: "utf8",
  })
  server.close()
  expect([status, stderr]).toEqual([0, ""])
  for (const text of ["PORT", "STATE_DIR", "--demo-payments", "--delivery-databases=", "--faults=", "--var"])
    expect(stdout).toContain(text)
})

test("the banner's command reads the credentials of STATE_DIR", () => {
  const getCommand = (base: string, state: string) =>
    /.*npm run operator.*/.exec(renderBanner(null, base, [], state))?.[0]
  expect(getCommand("http://localhost:8787", ".wrangler/state")?.trim()).toBe("npm run operator -- keys:list")
  expect(getCommand("http://localhost:9000", "/tmp/it's")).toContain(
    `PORT=9000 STATE_DIR='/tmp/it'\\''s' npm run operator -- keys:list`,
  )
})
