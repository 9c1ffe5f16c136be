// The pages of docs/reference match the code.
import { expect, test } from "vitest"
import dataModel from "../../docs/architecture/data-model.md?raw"
import capacity from "../../docs/operations/capacity.md?raw"
import scale from "../../docs/operations/scale.md?raw"
import commands from "../../docs/reference/commands.md?raw"
import contentApi from "../../docs/reference/content-api.md?raw"
import costs from "../../docs/reference/costs.md?raw"
import events from "../../docs/reference/events.md?raw"
import licenseApi from "../../docs/reference/license-api.md?raw"
import platformApi from "../../docs/reference/platform-api.md?raw"
import settings from "../../docs/reference/settings.md?raw"
import { operationsPages, otherClientModules, referencePages } from "../../tools/openapi/generated"
import wranglerToml from "../../wrangler.toml?raw"
import costTable from "../costs/table.json"

const PAGES = {
  "platform-api.md": platformApi,
  "content-api.md": contentApi,
  "license-api.md": licenseApi,
  "events.md": events,
  "commands.md": commands,
  "settings.md": settings,
  "costs.md": costs,
}

test("the generated reference pages are up to date (npm run docs writes them)", async () => {
  const generated = await referencePages(wranglerToml, costTable)
  expect(Object.keys(generated).sort()).toEqual(Object.keys(PAGES).sort())
  for (const [name, text] of Object.entries(PAGES)) expect(text, name).toBe(generated[name])
})

test("the page of capacity has the limits that the page of scale computes", () => {
  const section = scale.split("## One database for everything")[1]?.split("## ")[0] ?? ""
  const [present, short] = [...section.matchAll(/^\| \d.*\| ([\d,]+) \| ([\d.]+) \|$/gm)]
  const dollars = /\$(\d+) per million changes/.exec(section)?.[1]
  expect(capacity).toContain(`**${present?.[1]} changes per day** with a delivery each, or ${present?.[2]} per second`)
  const rounded = Math.round(Number(present?.[1]?.replaceAll(",", "")) / 1000)
  expect(capacity).toContain(`carries about ${rounded},000 changes`)
  expect(capacity).toContain(`stores ${short?.[1]} changes per day`)
  expect(capacity).toContain(`$${dollars} per million changes`)
})

test("the page of scale is up to date, and follows the measured costs", () => {
  expect(scale).toBe(operationsPages(wranglerToml, costTable)["scale.md"])
  const { request, background } = costTable.deliveries["one of 1,000 under load, 1,000 events to 1 endpoint"]
  const name = "one of 1,000 under load, 1,000 events to 1 endpoint"
  const doubled = { ...costTable.deliveries, [name]: { request, background: background.map((value) => value * 2) } }
  expect(operationsPages(wranglerToml, { ...costTable, deliveries: doubled })["scale.md"]).not.toBe(scale)
  const longer = wranglerToml.replace('TENANCY_AUDIT_HOT_DAYS = "90"', 'TENANCY_AUDIT_HOT_DAYS = "180"')
  expect(operationsPages(longer, costTable)["scale.md"]).toContain("audit entries for 180 before")
})

test("the operations of the Python and PHP clients are up to date", () => {
  const files = import.meta.glob("../../clients/{python,php}/src/**/*.{py,php}", {
    query: "?raw",
    import: "default",
    eager: true,
  })
  for (const [directory, modules] of Object.entries(otherClientModules())) {
    for (const [name, text] of Object.entries(modules)) expect(files[`../../${directory}/${name}`], name).toBe(text)
  }
})

test("the settings page describes every setting of wrangler.toml", async () => {
  const { "settings.md": page = "" } = await referencePages(wranglerToml, costTable)
  const names = [...(wranglerToml.split("[vars]")[1] ?? "").matchAll(/^([A-Z0-9_]+) =/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(30)
  for (const name of names) expect(page, name).toMatch(new RegExp(`^\\| \`${name}\` \\| \\S+ \\| \\S`, "m"))
})

test("the data model page lists every table of the central database", () => {
  const sources = import.meta.glob("../../src/db/schema/central/*.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  })
  const tables = Object.values(sources).flatMap((source) =>
    [...source.matchAll(/sqliteTable\(\s*"([a-z_]+)"/g)].map(([, name]) => name),
  )
  expect(tables.length).toBeGreaterThan(40)
  expect(tables.filter((name) => !dataModel.includes(`\`${name}\``))).toEqual([])
})
