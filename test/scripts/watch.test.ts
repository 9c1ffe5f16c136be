// The commands that stay: what `deliveries:tail` prints, what `webhooks:recover` draws, and that a platform which is
// away for a moment ends neither.
import { afterEach, expect, test, vi } from "vitest"
import { createProgressBar } from "../../tools/cli/progress"
import { type RunCommand, recoverWebhooks, tailDeliveries } from "../../tools/cli/watch"
import { ApiError, UnreachableError } from "../../tools/lib/api"

afterEach(() => void vi.restoreAllMocks())

const END = new Error("the end")
const noDelay = async () => undefined

/** Answers one after the other, and then ends; an error is thrown. */
function createCommandStub(responses: unknown[]) {
  const calls: { name: string; options: Record<string, unknown> }[] = []
  const runCommand = (async (name: string, options: Record<string, unknown>) => {
    calls.push({ name, options })
    if (!responses.length) throw END
    const response = responses.shift()
    if (response instanceof Error) throw response
    return response
  }) as RunCommand
  return { ask: runCommand, calls }
}

const delivery = (id: number, status: string, attempt: number, more = {}) => ({
  id,
  endpoint_id: 3,
  event: "store.ready",
  status,
  attempt,
  response_status: null,
  error: null,
  updated_at: "2026-09-02T10:15:00+00:00",
  ...more,
})

/** What `deliveries:tail` prints of these looks. */
async function captureTail(looks: unknown[], json = false) {
  const lines: string[] = []
  vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line))
  const { ask, calls } = createCommandStub(looks)
  await expect(tailDeliveries({ options: { endpoint: "3" }, json }, ask, noDelay)).rejects.toBe(END)
  return { lines, calls }
}

test("deliveries:tail prints a delivery when it is opened and when it changes, and looks again at those that are open", async () => {
  const { lines, calls } = await captureTail([
    { deliveries: [], last: "7" },
    { deliveries: [delivery(8, "pending", 0), delivery(9, "pending", 0)], last: "9" },
    { deliveries: [delivery(8, "delivered", 1, { response_status: 204 }), delivery(9, "pending", 0)], last: "9" },
    { deliveries: [delivery(9, "failed", 1, { error: "timeout" })], last: "9" },
    { deliveries: [delivery(9, "exhausted", 6, { error: "timeout" })], last: "9" },
  ])
  expect(lines).toEqual([
    "2026-09-02T10:15:00+00:00  #8  endpoint 3  store.ready  pending",
    "2026-09-02T10:15:00+00:00  #9  endpoint 3  store.ready  pending",
    "2026-09-02T10:15:00+00:00  #8  endpoint 3  store.ready  delivered  attempt 1  204",
    "2026-09-02T10:15:00+00:00  #9  endpoint 3  store.ready  failed  attempt 1  timeout",
    "2026-09-02T10:15:00+00:00  #9  endpoint 3  store.ready  exhausted  attempt 6  timeout",
  ])
  expect(calls.map(({ options }) => [options.endpoint, options.after, options.open])).toEqual([
    ["3", undefined, ""],
    ["3", "7", ""],
    ["3", "9", "8,9"],
    ["3", "9", "9"],
    ["3", "9", "9"],
    ["3", "9", ""],
  ])
})

test("deliveries:tail prints JSON with --json and removes terminal escapes", async () => {
  const look = { deliveries: [delivery(8, "pending", 0, { event: "a\u001b[2J" })], last: "8" }
  expect(JSON.parse((await captureTail([look], true)).lines[0] ?? "")).toMatchObject({ id: 8, status: "pending" })
  expect((await captureTail([look])).lines.join()).not.toContain("\u001b")
})

test("webhooks:recover begins, draws how far it is, and ends with what it came to", async () => {
  const drawn: string[] = []
  const stream = { isTTY: true, columns: 80, write: (text: string) => void drawn.push(text) } as never
  const { ask, calls } = createCommandStub([
    { queued: 4 },
    { queued: 4, done: 0, failed: 0, is_receiving: true },
    { queued: 4, done: 2, failed: 1, is_receiving: true },
    { queued: 4, done: 3, failed: 1, is_receiving: true },
  ])
  const options = { endpoint: "3", since: "2026-09-02T10:15:00Z" }
  expect(await recoverWebhooks({ options }, ask, { wait: noDelay, stream })).toEqual({ queued: 4, done: 3, failed: 1 })
  expect(calls.map(({ name }) => name)).toEqual(["webhooks:recover", ...Array(3).fill("webhooks:progress")])
  expect(calls[0]?.options).toEqual(options)
  const clear = "\r\u001b[2K"
  expect(drawn).toEqual([
    `${clear}recovering  ${"░".repeat(30)}  0/4  0 %`,
    `${clear}recovering  ${"█".repeat(23)}${"░".repeat(7)}  3/4  75 %  1 failed`,
    clear,
  ])
})

test("webhooks:recover wants an endpoint, and takes the bar away when it is refused", async () => {
  await expect(recoverWebhooks({ options: {} }, createCommandStub([]).ask)).rejects.toThrow("--endpoint=")
  const refused = new ApiError(409, "recovery_running", "One is running.", {})
  await expect(recoverWebhooks({ options: { endpoint: "3" } }, createCommandStub([refused]).ask)).rejects.toBe(refused)
})

test("webhooks:recover ends with an error when the endpoint is disabled before the recovery is done", async () => {
  const recover = (last: object) => {
    const { ask } = createCommandStub([{ queued: 2 }, { queued: 2, done: 0, failed: 1, is_receiving: true }, last])
    return recoverWebhooks({ options: { endpoint: "3" } }, ask, { wait: noDelay })
  }
  await expect(recover({ queued: 2, done: 0, failed: 1, is_receiving: false })).rejects.toThrow(
    "The endpoint is disabled. Enable it to continue.",
  )
  expect(await recover({ queued: 2, done: 0, failed: 2, is_receiving: false })).toMatchObject({ failed: 2 })
})

test("keeps watching while the platform is briefly unreachable", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
  const away = new UnreachableError("http://localhost:1")
  const { lines } = await captureTail([
    { deliveries: [], last: "0" },
    away,
    { deliveries: [delivery(1, "pending", 0)], last: "1" },
  ])
  expect(lines).toHaveLength(1)
  const { ask } = createCommandStub([{ queued: 1 }, away, { queued: 1, done: 1, failed: 0 }])
  expect(await recoverWebhooks({ options: { endpoint: "3" } }, ask, { wait: noDelay })).toMatchObject({ done: 1 })
})

test("fits the progress bar into a narrow terminal and prints none without a terminal", () => {
  const drawn: string[] = []
  const write = (text: string) => void drawn.push(text)
  createProgressBar("recovering", 10, { isTTY: true, columns: 20, write } as never).show(5)
  expect(drawn.join("").replace("\r\u001b[2K", "").length).toBeLessThan(20)
  drawn.length = 0
  const elsewhere = createProgressBar("recovering", 10, { isTTY: false, columns: 80, write } as never)
  elsewhere.show(5)
  elsewhere.end()
  expect(drawn).toEqual([])
})
