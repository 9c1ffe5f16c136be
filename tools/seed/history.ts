// Seeds four months of history: stores sign up, pay, fall overdue and cancel, webhook receivers fail, and cron runs.
// The platform itself creates all of it, with a simulated clock.
import { setTimeout as sleep } from "node:timers/promises"
import { createProgressBar } from "../cli/progress.ts"
import { pastStores } from "./history/stores.ts"
import type { Section, Seeder } from "./seeder.ts"
import { waitForProvisioning } from "./stores.ts"

const HOUR_MS = 3_600_000

/** Length of a trial, and the day of the trial on which an order is paid. */
const TRIAL_DAYS = 14
const PAID_ON_TRIAL_DAY = 10

/** Recent days are simulated one by one, earlier ones in steps, because each takes a third of a second. */
const DAILY_WITHIN_DAYS = 7
const STRIDE_DAYS = 8

/** The old ERP has been down for this many days. Before that, no delivery waits for a retry. */
const ERP_DOWN_SINCE_DAYS = 42

/** Simulated days per printed line where there is no progress bar. */
const DAYS_PER_LINE = 6

type Store = (typeof pastStores)[number]

/** Webhook receivers: one works, one has been down for weeks, one failed recently. */
const RECEIVERS = [
  {
    url: "https://hooks.warehouse.example/tenancy",
    description: "Warehouse: prints packing slips",
    events: ["*"],
  },
  {
    url: "https://erp.example/api/hooks/tenancy",
    description: "Old ERP",
    events: ["store.*", "subscription.*"],
  },
  {
    url: "https://crm.example/hooks",
    description: "CRM: new and cancelled customers",
    events: ["store.*", "subscription.*"],
  },
]

/** Custom domains, their age in days, and whether the DNS record exists. */
const DOMAINS: [store: string, domain: string, since: number, isSet: boolean][] = [
  ["orchard", "shop.orchardcider.example", 60, true],
  ["rook", "rookandraven.example", 40, true],
  ["fern", "fernstreetbooks.example", 6, false],
  ["quarry", "www.quarry.example", 3, false],
]

/** Simulates the past, then returns to the present. */
export const seedHistory: Section = async (seeder) => {
  if ((await seeder.platform<unknown[]>("GET", "/stores")).length > 0) return {}
  await seeder.setStory({ receivers: { "erp.example": 200 } })
  const days = listSimulatedDays(Math.max(...pastStores.map(({ createdDaysAgo: born }) => born)))
  const first = days[0] ?? 1
  await seeder.setStory({ now: momentOfDay(first, -1) })
  await seeder.operator("offline:settings", { enabled: true })
  const endpoints = await createEndpoints(seeder)
  const progress = createProgressBar("Demo data", days.length + 1)
  for (const [done, day] of days.entries()) {
    progress.show(done, `${day} days ago`)
    if (!process.stderr.isTTY && done % DAYS_PER_LINE === 0) console.log(`        ${day} days ago`)
    await simulateDay(seeder, day, days[done - 1] ?? first + 1)
  }
  progress.show(days.length, "last night")
  await simulateLastNight(seeder, endpoints)
  progress.end()
  await restrictEndpoints(seeder, endpoints)
  await seeder.setStory({ now: null, receivers: {}, records: {}, down: [] })
  for (const schedule of ["7 * * * *", "30 2 * * *", "* * * * *"])
    await seeder.runCron(schedule, new Date().toISOString())
  return {}
}

const now = Date.now()

/** Returns the time this many hours ago. */
const hoursAgo = (hours: number): string => new Date(now - hours * HOUR_MS).toISOString()

/** Returns a time on a simulated day, in hours after its start; yesterday started 26 hours ago. */
const momentOfDay = (day: number, hours: number): string => hoursAgo(day * 24 + 2 - hours)

/** Lists the simulated days in days ago, from the oldest store to yesterday. */
function listSimulatedDays(oldest: number): number[] {
  const days = [1]
  for (let day = 1; day <= oldest; days.unshift(day)) day += day < DAILY_WITHIN_DAYS ? 1 : STRIDE_DAYS
  return days
}

async function createEndpoints(seeder: Seeder): Promise<{ id: number }[]> {
  const endpoints: { id: number }[] = []
  for (const receiver of RECEIVERS) endpoints.push(await seeder.platform<{ id: number }>("POST", "/webhooks", receiver))
  return endpoints
}

/** Restricts the endpoints to the seeded stores, so that changes to other stores send nothing to them. */
async function restrictEndpoints(seeder: Seeder, endpoints: { id: number }[]): Promise<void> {
  const stores = pastStores.map(({ subdomain }) => subdomain)
  for (const { id } of endpoints) await seeder.platform("PATCH", `/webhooks/${id}`, { stores })
}

/**
 * Simulates a day: sign-ups, payments and cancellations, then cron.
 * @param before the previously simulated day; events between the two happen on this one
 */
async function simulateDay(seeder: Seeder, day: number, before: number): Promise<void> {
  const isToday = (date: number) => date >= day && date < before
  const isDown = day === 1
  const broken = isToday(ERP_DOWN_SINCE_DAYS) && { receivers: { "erp.example": 500 } }
  await seeder.setStory({ now: momentOfDay(day, 0), ...broken, ...(isDown && { down: ["SITES_1"] }) })
  const born = pastStores.filter((store) => isToday(store.createdDaysAgo))
  await Promise.all(born.map((store) => createStore(seeder, store)))
  await Promise.all(born.map(({ subdomain }) => waitForProvisioning(seeder, subdomain)))
  if (isDown) await seeder.setStory({ down: [] })
  await Promise.all(pastStores.map((store) => applyFate(seeder, store, isToday)))
  for (const [store, domain, since, isSet] of DOMAINS)
    if (isToday(since)) await attachDomain(seeder, store, domain, isSet)
  await seeder.runCron("7 * * * *", momentOfDay(day, 2))
  if (day <= ERP_DOWN_SINCE_DAYS) await seeder.runCron("* * * * *", momentOfDay(day, 2.5))
  await seeder.runCron("30 2 * * *", momentOfDay(day, 3))
}

function createStore(seeder: Seeder, store: Store): Promise<unknown> {
  const { subdomain, name, plan, theme } = store
  const owner_email = `owner@${subdomain}.example`
  const trial_days = plan === "free" ? 0 : TRIAL_DAYS
  const sold = plan === "legacy-2024" ? "pro" : plan
  const body = { subdomain, name, owner_email, theme, plan: sold, trial_days, password: seeder.password(owner_email) }
  return seeder.platform("POST", "/stores", body)
}

async function attachDomain(seeder: Seeder, store: string, domain: string, isSet: boolean): Promise<void> {
  const { verification } = await seeder.platform<{ verification: { txt_name: string; txt_value: string } }>(
    "POST",
    `/stores/${store}/domains`,
    { domain },
  )
  if (!isSet) return
  await seeder.setStory({ records: { [verification.txt_name]: verification.txt_value } })
  await seeder.platform("POST", `/stores/${store}/domains/${domain}/verify`)
  await seeder.platform("POST", `/stores/${store}/domains/${domain}/primary`)
}

async function applyFate(
  seeder: Seeder,
  { subdomain, plan, createdDaysAgo: born, fate }: Store,
  today: (date: number) => boolean,
) {
  const subscription = `/stores/${subdomain}/subscription`
  if (["pays", "owes", "left"].includes(fate) && today(born - PAID_ON_TRIAL_DAY)) {
    const sold = plan === "legacy-2024" ? "pro" : plan
    const order = await seeder.operator<{ reference: string }>("orders:request", { store: subdomain, plan: sold })
    await seeder.operator("orders:approve", { reference: order.reference })
    if (fate === "pays") await seeder.platform("POST", `${subscription}/extend`, { days: born + 5 })
  }
  if (fate === "left" && today(Math.min(born - 20, 12 + (born % 12))))
    await seeder.platform("POST", `${subscription}/cancel`)
}

/** Events for the CRM since it failed, by hours ago. */
const UNDELIVERED: [hours: number, store: string][] = [
  [20, "alder"],
  [19.5, "bitter"],
  [2, "copper"],
  [0.4, "fern"],
]

/** Times of the sweeps, in hours ago. */
const SWEEP_HOURS = [19.9, 19.4, 19.2, 18.5, 18, 15, 14.5, 3, 1.9, 1.8, 1, 0.3, 0.2]

/** The CRM failed yesterday: its deliveries have failed permanently or are being retried. */
async function simulateLastNight(seeder: Seeder, endpoints: { id: number }[]): Promise<void> {
  await seeder.setStory({ receivers: { "erp.example": 500, "crm.example": 503 } })
  const steps = [
    ...UNDELIVERED.map(([hours, store]) => ({
      hours,
      sweeps: false,
      take: () => seeder.platform("POST", `/stores/${store}/subscription/extend`, { days: 1 }),
    })),
    ...SWEEP_HOURS.map((hours) => ({ hours, sweeps: true, take: () => seeder.runCron("* * * * *", hoursAgo(hours)) })),
  ]
  for (const { hours, sweeps, take } of steps.sort((a, b) => b.hours - a.hours)) {
    await seeder.setStory({ now: hoursAgo(hours) })
    await take()
    await Promise.all(endpoints.map(({ id }) => waitForAttempts(seeder, id, sweeps ? hoursAgo(hours) : null)))
  }
}

/** Timeout for due attempts. */
const ATTEMPT_TIMEOUT_MS = 3_000

/**
 * Waits for the due attempts of an endpoint, which run in the background, before the clock moves on.
 * @param moment time of the sweep; null without one, when only first attempts are made
 */
async function waitForAttempts(seeder: Seeder, endpoint: number, moment: string | null): Promise<void> {
  const open = async (status: string) =>
    seeder.platform<{ next_attempt_at: string | null }[]>("GET", `/webhooks/${endpoint}/deliveries?status=${status}`)
  for (const end = Date.now() + ATTEMPT_TIMEOUT_MS; Date.now() < end; await sleep(50)) {
    const waits =
      moment !== null &&
      (await open("failed")).some(({ next_attempt_at: due }) => due && Date.parse(due) <= Date.parse(moment))
    if (!waits && (await open("pending")).length === 0) return
    // A disabled endpoint never makes its due attempts.
    if (!(await seeder.platform<{ is_active: boolean }>("GET", `/webhooks/${endpoint}`)).is_active) return
  }
}
