import { expect, test } from "vitest"
import { createOutputFilter } from "../../tools/local/output"

const filterLines = (lines: string[], options = {}) => {
  const filter = createOutputFilter({ compact: false, quiet: false, ...options })
  return lines.map(filter).filter((line) => line !== null)
}

const request =
  '{"level":"info","message":"request","request_id":"01M7","method":"GET","path":"/me","status":200,"ms":3}'

test("hides wrangler's own messages", () => {
  const wranglerLines = [
    " ⛅️ wrangler 4.156.2",
    "────────────────────",
    "Using secrets defined in .dev.vars",
    "Your Worker has access to the following bindings:",
    "Binding                        Resource                  Mode",
    "env.DB (tenancy)               D1 Database               local",
    "⎔ Starting local server...",
    "[wrangler:info] GET /me 200 OK (7ms)",
    "",
  ]
  expect(filterLines(wranglerLines)).toEqual([])
})

test("shows the Worker's lines unchanged", () => {
  expect(filterLines([request, "a plain line"])).toEqual([request, "a plain line"])
})

test("hides the warnings that the seed's clock causes from the seed, but not its other warnings and errors", () => {
  const line = (level: string, message: string) => JSON.stringify({ level, message, duration_ms: 518_396_830 })
  const expected = ["alert changed", "a step of a job exceeded its time budget"].map((text) => line("warn", text))
  const real = [line("warn", "webhook attempts were released"), line("error", "alert changed"), "alert changed"]
  const lines = [...expected, ...real].map((text) => `▲ [WARNING] ${text}`)
  expect(filterLines(lines, { quiet: true })).toEqual(real)
  expect(filterLines(lines)).toEqual([...expected, ...real])
})

test("shows errors and warnings without decoration but with details", () => {
  const lines = [
    "\u001b[31m✘ \u001b[41m[ERROR]\u001b[0m \u001b[1mError: boom\u001b[0m",
    "",
    "      at index.ts:33",
    "▲ [WARNING] careful",
  ]
  expect(filterLines(lines, { quiet: true })).toEqual(["Error: boom", "      at index.ts:33", "careful"])
})

test("hides the cron trigger warning with its details, but not the lines after it", () => {
  const lines = [
    "▲ [WARNING] Scheduled Workers are not automatically triggered during local development.",
    "",
    "  To manually trigger a scheduled event, run:",
    "back",
  ]
  expect(filterLines(lines)).toEqual(["back"])
})

test("quiet hides log lines and plain lines", () => {
  expect(filterLines([request, "a plain line"], { quiet: true })).toEqual([])
})

test("compact shortens requests to one line and other fields to name=value", () => {
  const warning = '▲ [WARNING] {"level":"warn","message":"bucket out of reach","bucket":"ip","tries":2}'
  expect(filterLines([request, warning, "{not json"], { compact: true })).toEqual([
    "GET /me 200 3 ms  request_id=01M7",
    "WARN bucket out of reach  bucket=ip tries=2",
    "{not json",
  ])
})
