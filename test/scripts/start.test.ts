// Runs scripts/start.ts as a process, without starting a platform.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project"

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
