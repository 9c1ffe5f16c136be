// Runs examples/receiver.ts with signed requests: which it accepts, what it handles once, and what it handles after a
// crash.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { afterEach, expect, test } from "vitest"
import { signWebhook } from "../../src/client/index"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"

const SECRET = "whsec_b25l"
const directory = mkdtempSync(join(getScratchDirectory(), "example-receiver-"))
const EVENTS_FILE = join(directory, "events.sqlite")
const running: ChildProcess[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await kill(one)
  rmSync(directory, { recursive: true, force: true })
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.signalCode !== null || child.exitCode !== null) return
  child.kill("SIGKILL")
  await once(child, "close")
}

/** Starts the example. `next` returns the next line that it prints. */
async function start() {
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: SECRET, EVENTS_FILE, PORT: "0" }
  const child = spawn(process.execPath, ["examples/receiver.ts"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  })
  running.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, next: async () => String((await lines.next()).value) }
}

const post = async (url: string, id: string, secret = SECRET): Promise<number> => {
  const { headers, body } = await signWebhook(JSON.stringify({ id, type: "ping", data: {} }), secret)
  return (await fetch(url, { method: "POST", headers, body })).status
}

test("the example stores an event before it responds, handles it once, and handles stored ones after a crash", async () => {
  const first = await start()
  const url = (await first.next()).replace("Listening on ", "")
  expect([await post(url, "a", "whsec_dHdv"), await post(url, "a"), await post(url, "a")]).toEqual([400, 204, 204])
  expect([await post(url, "b"), await first.next(), await first.next()]).toEqual([204, "ping a", "ping b"])
  await kill(first.child)

  const db = new DatabaseSync(EVENTS_FILE)
  expect(db.prepare("select id from events order by id").all()).toEqual([{ id: "a" }, { id: "b" }])
  // The crash came after the response to "b" and before its work.
  db.exec("update events set handled_at = null where id = 'b'")
  db.close()
  const second = await start()
  expect([await second.next(), await second.next()]).toEqual(["ping b", expect.stringMatching(/^Listening on /)])
})
