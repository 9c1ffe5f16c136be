// `listen` with `--filter`, `--header` and `--payload=thin`: which events match, what is forwarded, and which options are
// refused.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text as readText } from "node:stream/consumers"
import { afterAll, expect, test } from "vitest"
import { parseListenFilter } from "../../tools/cli/listen-filter.ts"
import { parseListenHeaders } from "../../tools/cli/listen-headers.ts"
import { root } from "../../tools/lib/project.ts"
import { getScratchDirectory } from "../../tools/local/scratch.ts"

const directory = mkdtempSync(join(getScratchDirectory(), "listen-filter-"))
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
  rmSync(directory, { recursive: true, force: true })
})

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1")
  servers.push(server)
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ID = "01K4YQZ0M8T3V6N9R2B5C7D1E"
const buildPayload = (place: number) =>
  JSON.stringify({
    id: `${ID}${place}`,
    type: "shop.order.placed",
    created_at: "2026-11-23T10:00:00+00:00",
    api_version: "2026-09-02",
    data: { store: { id: "acme", name: "Acme" }, order: { id: place, total_cents: place * 10_000 } },
    meta: {},
  })

test("forwards the thin form of the events that meet every condition, with headers", async () => {
  const base = await serve(async (request, response) => {
    const { after } = JSON.parse(await readText(request)) as { after?: string }
    const events = [0, 1, 2].map((place) => ({ id: `${ID}${place}`, payload: buildPayload(place) }))
    // Without news, the request stays open, as a long poll does.
    if (after === undefined) response.end(JSON.stringify({ data: { events, next_cursor: `${ID}2` } }))
  })
  const received = Promise.withResolvers<{ headers: IncomingHttpHeaders; text: string }>()
  const receiver = await serve(async (request, response) => {
    received.resolve({ headers: request.headers, text: await readText(request) })
    response.writeHead(204).end()
  })
  const filters = ["--filter=data.order.total_cents:gte:10000", "--filter=data.order.id:in:0,1"]
  const headers = ["--header=Authorization: Bearer one:two", "--header=x-team: blue", "--header=webhook-id: forged"]
  const options = [...filters, ...headers, "--payload=thin"]
  const child = spawn(
    process.execPath,
    [join(root, "scripts/operator.ts"), "listen", `--forward=${receiver}/hook`, "--from=start", ...options],
    {
      env: {
        PATH: process.env.PATH,
        XDG_STATE_HOME: directory,
        XDG_CONFIG_HOME: directory,
        TENANCY_URL: base,
        OPERATOR_TOKEN: "operator-token",
      },
    },
  )
  const { headers: sent, text } = await received.promise
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(sent).toMatchObject({ authorization: "Bearer one:two", "x-team": "blue", "webhook-id": `${ID}1` })
  expect(JSON.parse(text)).toEqual({
    id: `${ID}1`,
    type: "shop.order.placed",
    created_at: "2026-11-23T10:00:00+00:00",
    api_version: "2026-09-02",
    data: { store: { id: "acme" }, order: { id: 1 } },
    url: `${base}/api/platform/v1/events/${ID}1`,
  })
}, 60_000)

test.each([
  ["type:eq:shop.order.placed", true],
  ["data.store.name:ne:Acme", false],
  ["data.order.total_cents:lt:30000", true],
  ['data.order.id:in:[1,"2"]', false],
  ["data.order.missing:exists", false],
  ["data.order:exists", true],
  ["total_cents:changed", false],
])("matches %s: %s", (condition, expected) => {
  expect(parseListenFilter([condition])(buildPayload(2))).toBe(expected)
})

test.each(["Authorization", "", ": x", "a b: x", "a: é\u0100"])("refuses the header %j", (header) => {
  expect(() => parseListenHeaders([header])).toThrow(/--header/)
})

test.each(["data.order", "data.order:like:1", "data.order:exists:1", "data.order:eq:", ":eq:1"])(
  "refuses the condition %s",
  (condition) => {
    expect(() => parseListenFilter([condition])).toThrow(/--filter/)
  },
)
