// Generates docs/operations/scale.md: what the platform needs at scale, computed from the measured costs
// (test/costs/table.json), the settings and Cloudflare's published limits and prices.
import { type CostTable, readCost } from "../lib/cost-table.ts"

const MILLION = 1_000_000
const GB = 1_000_000_000
const SECONDS_PER_DAY = 86_400
const DAYS_PER_MONTH = 30
const DAYS_PER_YEAR = 365

/** Of the 10 GB that a D1 database stores, the share at which operators get an alert. */
const USABLE_BYTES = 7 * GB

/** Estimated duration of a write transaction (https://developers.cloudflare.com/d1/platform/limits/). */
const TRANSACTION_MS = 3

/**
 * Rows written per month that are included, and dollars per million more
 * (https://developers.cloudflare.com/d1/platform/pricing/).
 */
const INCLUDED_ROWS_WRITTEN = 50 * MILLION
const DOLLARS_PER_MILLION_ROWS = 1

/** Entries per transaction of the archiving, and shards (src/platform/audit/archive.ts, src/core/archive/format.ts). */
const ENTRIES_PER_ARCHIVE_STEP = 40_000
const SHARDS = 256

/** Defaults of wrangler.toml that the figures depend on. */
export interface ScaleSettings {
  TENANCY_WEBHOOKS_PAYLOAD_DAYS: number
  TENANCY_WEBHOOKS_RETENTION_DAYS: number
  TENANCY_AUDIT_HOT_DAYS: number
}

/** Reads the settings from the text of wrangler.toml. */
export function readScaleSettings(wranglerToml: string): ScaleSettings {
  const read = (name: string) => Number(new RegExp(`^${name} = "(\\d+)"$`, "m").exec(wranglerToml)?.[1])
  return {
    TENANCY_WEBHOOKS_PAYLOAD_DAYS: read("TENANCY_WEBHOOKS_PAYLOAD_DAYS"),
    TENANCY_WEBHOOKS_RETENTION_DAYS: read("TENANCY_WEBHOOKS_RETENTION_DAYS"),
    TENANCY_AUDIT_HOT_DAYS: read("TENANCY_AUDIT_HOT_DAYS"),
  }
}

/** Rows written, transactions and bytes of each kind of record. */
function readInputs(costs: CostTable) {
  const cost = (section: "requests" | "deliveries" | "records", name: string) => {
    const row = costs[section][name]
    if (!row) throw new Error(`test/costs/table.json has no ${section} "${name}"`)
    const [request, background] = [readCost(row.request), readCost(row.background)]
    return {
      rows: request.rowsWritten + background.rowsWritten,
      transactions: request.transactions + background.transactions,
    }
  }
  const bytes = (name: string): number => {
    const count = costs.bytes[name]
    if (count === undefined) throw new Error(`test/costs/table.json has no bytes of "${name}"`)
    return count
  }
  return {
    change: cost("requests", "PATCH of a store, 0 endpoints"),
    delivery: cost("deliveries", "one of 1,000 under load, 1,000 events to 1 endpoint"),
    prunedEvent: cost("records", "event, pruned (one of 1,000)"),
    prunedBoth: cost("records", "event with its delivery, pruned (one of 1,000)"),
    bytes: {
      event: bytes("event with a payload of 1,513 bytes"),
      delivery: bytes("delivery with an excerpt of 200 bytes"),
      entry: bytes("audit entry of a store"),
      license: bytes("license"),
      activation: bytes("activation"),
      store: bytes("store without its domain and subscription"),
    },
  }
}

type Inputs = ReturnType<typeof readInputs>

const count = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
const gigabytes = (bytes: number): string => `${count(bytes / GB)} GB`
const dollars = (amount: number): string => `$${amount.toLocaleString("en-US", { maximumFractionDigits: 0 })}`
const databases = (bytes: number): number => Math.max(1, Math.ceil(bytes / USABLE_BYTES))

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** Computes what a number of deliveries per day needs. */
function computeDeliveries(inputs: Inputs, settings: ScaleSettings, deliveries: number, perChange: number) {
  const changes = deliveries / perChange
  const prunedDelivery = inputs.prunedBoth.rows - inputs.prunedEvent.rows
  const rows =
    changes * (inputs.change.rows + inputs.prunedEvent.rows) + deliveries * (inputs.delivery.rows + prunedDelivery)
  const monthlyRows = rows * DAYS_PER_MONTH
  const central =
    changes * inputs.bytes.event * settings.TENANCY_WEBHOOKS_PAYLOAD_DAYS +
    changes * inputs.bytes.entry * settings.TENANCY_AUDIT_HOT_DAYS
  const stored = deliveries * inputs.bytes.delivery * settings.TENANCY_WEBHOOKS_RETENTION_DAYS
  const busy = (transactions: number) => (transactions / SECONDS_PER_DAY) * (TRANSACTION_MS / 1_000)
  const centralLoad = busy(changes * inputs.change.transactions)
  const deliveryLoad = busy(deliveries * inputs.delivery.transactions)
  return {
    changes,
    rows,
    cost: (Math.max(0, monthlyRows - INCLUDED_ROWS_WRITTEN) / MILLION) * DOLLARS_PER_MILLION_ROWS,
    central,
    stored,
    centralLoad,
    // A database that is busy half of the time leaves room for peaks.
    deliveryDatabases: Math.max(databases(stored), Math.ceil(deliveryLoad / 0.5)),
  }
}

function deliveriesTable(inputs: Inputs, settings: ScaleSettings, perChange: number): string {
  const columns = [1, 10, 100].map((millions) => computeDeliveries(inputs, settings, millions * MILLION, perChange))
  const row = (label: string, show: (column: (typeof columns)[number]) => string) => [label, ...columns.map(show)]
  return table(
    ["Per day", "1 M deliveries", "10 M", "100 M"],
    [
      row("changes per second", ({ changes }) => count(changes / SECONDS_PER_DAY)),
      row("rows written", ({ rows }) => `${count(rows / MILLION)} M`),
      row("rows written, dollars per month", ({ cost }) => dollars(cost)),
      row("central database: events and audit entries", ({ central }) => gigabytes(central)),
      row(
        "central database: share of time in write transactions",
        ({ centralLoad }) => `${count(centralLoad * 100)} %`,
      ),
      row("central database: limit", ({ central, centralLoad }) => describeLimit(central, centralLoad)),
      row("deliveries", ({ stored }) => gigabytes(stored)),
      row("delivery databases", ({ deliveryDatabases }) => count(deliveryDatabases)),
    ],
  )
}

/** Computes how many changes per day one database stores, with their audit entries, events and one delivery each. */
const computeChangesOfOneDatabase = ({ bytes }: Inputs, settings: ScaleSettings): number =>
  USABLE_BYTES /
  (bytes.event * settings.TENANCY_WEBHOOKS_PAYLOAD_DAYS +
    bytes.delivery * settings.TENANCY_WEBHOOKS_RETENTION_DAYS +
    bytes.entry * settings.TENANCY_AUDIT_HOT_DAYS)

/** Shorter retention, for comparison with the default settings. */
const SHORT_RETENTION: ScaleSettings = {
  TENANCY_WEBHOOKS_PAYLOAD_DAYS: 2,
  TENANCY_WEBHOOKS_RETENTION_DAYS: 7,
  TENANCY_AUDIT_HOT_DAYS: 30,
}

function oneDatabaseTable(inputs: Inputs, settings: ScaleSettings): string {
  const rows = [settings, SHORT_RETENTION].map((days) => {
    const changes = computeChangesOfOneDatabase(inputs, days)
    return [
      count(days.TENANCY_WEBHOOKS_PAYLOAD_DAYS),
      count(days.TENANCY_WEBHOOKS_RETENTION_DAYS),
      count(days.TENANCY_AUDIT_HOT_DAYS),
      count(changes),
      count(changes / SECONDS_PER_DAY),
    ]
  })
  return table(["Days of events", "Days of deliveries", "Days of audit entries", "Changes per day", "Per second"], rows)
}

const describeLimit = (bytes: number, load: number): string =>
  [bytes > USABLE_BYTES ? "too large" : "", load > 0.5 ? "too busy" : ""].filter(Boolean).join(", ") || "fits"

function auditTable(inputs: Inputs, settings: ScaleSettings): string {
  const rows = [10_000, 100_000, MILLION].map((changes) => {
    const steps = Math.ceil(changes / ENTRIES_PER_ARCHIVE_STEP)
    const objects = steps * SHARDS
    return [
      count(changes),
      gigabytes(changes * inputs.bytes.entry * DAYS_PER_YEAR * 10),
      gigabytes(changes * inputs.bytes.entry * settings.TENANCY_AUDIT_HOT_DAYS),
      `${count((objects * DAYS_PER_YEAR * 10) / MILLION)} M`,
    ]
  })
  return table(["Changes per day", "Ten years, all in the database", "In the database", "Archived objects"], rows)
}

function licensesTable(inputs: Inputs): string {
  const rows = [5, 20, 100].map((millions) => {
    const bytes = millions * MILLION * (inputs.bytes.license + inputs.bytes.activation)
    return [`${millions} M`, gigabytes(bytes), count(databases(bytes))]
  })
  return table(["Licenses, each with one activation", "Stored", "Databases"], rows)
}

/**
 * Generates the page.
 * @param costs test/costs/table.json
 * @throws Error when a measurement is missing
 */
export function scalePage(costs: CostTable, settings: ScaleSettings): string {
  const inputs = readInputs(costs)
  const { bytes } = inputs
  const maxChanges =
    USABLE_BYTES /
    (bytes.event * settings.TENANCY_WEBHOOKS_PAYLOAD_DAYS + bytes.entry * settings.TENANCY_AUDIT_HOT_DAYS)
  const rowsPerChange = computeDeliveries(inputs, settings, 1, 1).rows
  return `# Scale

<!-- Generated by \`npm run docs\`. Do not edit: change tools/openapi/scale.ts. -->

How large the platform gets, what is full first, and what it costs. Every figure is computed from what the tests measure
([Costs](../reference/costs.md)), from the default settings, and from Cloudflare's published limits and prices. Nothing
here was measured on Cloudflare itself. [Capacity](capacity.md) explains the limits of one database.

## What the figures assume

${table(
  ["Record", "Rows written", "Bytes"],
  [
    [
      "change of a store, with its audit entry and its event",
      count(inputs.change.rows),
      count(bytes.entry + bytes.event),
    ],
    ["delivery, under load", count(inputs.delivery.rows), count(bytes.delivery)],
    ["event pruned", count(inputs.prunedEvent.rows), ""],
    ["delivery pruned", count(inputs.prunedBoth.rows - inputs.prunedEvent.rows), ""],
  ],
)}

- An event has a payload of 1,513 bytes, which is stored compressed, and a delivery a response excerpt of 200 bytes.
- Events are retained for ${settings.TENANCY_WEBHOOKS_PAYLOAD_DAYS} days, deliveries for ${settings.TENANCY_WEBHOOKS_RETENTION_DAYS}, and audit entries for ${settings.TENANCY_AUDIT_HOT_DAYS} before they move to the
  [archive](archives.md).
- Every first attempt succeeds. No request has an \`Idempotency-Key\`; each stored response is another ${count(costs.bytes["idempotent response with a store and its subscription"] ?? 0)} bytes
  for a day.
- A database is full at 7 of 10 GB, and busy when half of its time is spent in write transactions of ${TRANSACTION_MS} ms.
- A million rows written cost ${dollars(DOLLARS_PER_MILLION_ROWS)}, after ${count(INCLUDED_ROWS_WRITTEN / MILLION)} million per month.

## Deliveries, one per change

${deliveriesTable(inputs, settings, 1)}

## Deliveries, ten per change

${deliveriesTable(inputs, settings, 10)}

Delivery databases are added with \`WEBHOOK_DATABASES\` ([runbook](runbook.md)). The central database is one: it stores
${count(maxChanges)} changes per day with these retention settings. Fewer days for either raise that number.

## One database for everything

Without delivery databases, the central database also stores the deliveries. With one delivery per change, it is full at:

${oneDatabaseTable(inputs, settings)}

A change with its delivery writes ${count(rowsPerChange)} rows, which is ${dollars(rowsPerChange * DOLLARS_PER_MILLION_ROWS)} per million changes.

## Ten years of the audit log

${auditTable(inputs, settings)}

Without the archive, the audit log alone fills the central database. With it, the database has the entries of
${settings.TENANCY_AUDIT_HOT_DAYS} days, and grows by a row for each object and for each day on which a store changed. One transaction moves up to
${count(ENTRIES_PER_ARCHIVE_STEP)} entries into one object for each of ${SHARDS} shards.

## A million stores

A million rows in \`stores\` take ${gigabytes(MILLION * bytes.store)}, without their domains and subscriptions. Their content is in site databases,
of which there can be as many as needed. Jobs that visit all stores or all databases send queue messages, each of which
reads one page.

## Licenses

${licensesTable(inputs)}

A verification writes nothing and reads a replica, so reads are not the limit; storage is. All licenses are in the
central database today, next to everything else. For more of them, a hash of the license code would select one of
several license databases: activations, verifications and checks know the code. Lists and searches would ask all of
them. This is **not implemented**.
`
}
