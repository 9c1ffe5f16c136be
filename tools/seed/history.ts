// Four months of a platform's life, day by day: stores come, pay, fall behind and leave, receivers break down, and the cron runs. All of
// it is done by the platform itself, whose clock goes from day to day.
import { setTimeout as sleep } from "node:timers/promises"
import { createProgressBar } from "../cli/progress.ts"
import { pastStores } from "./history/stores.ts"
import type { Section, Seeder } from "./seeder.ts"
import { waitForProvisioning } from "./stores.ts"

const HOUR_MS = 3_600_000

/** Days of a trial, and after the start of one the day on which an order for what follows is paid. */
const TRIAL_DAYS = 14
const PAID_ON_TRIAL_DAY = 10

/** Days that are lived one by one, the others six at a time: a chart needs no more, and each of them takes a third of a second. */
const DAILY_WITHIN_DAYS = 7
const STRIDE_DAYS = 6

/** Days ago on which the old ERP went down; nobody has looked since. Before that no delivery waits for another attempt. */
const ERP_DOWN_SINCE_DAYS = 42

type Store = (typeof pastStores)[number]

/** The receivers: one that works, one that has been down for weeks, one that broke down this morning, and one that was put aside. */
const RECEIVERS = [
  {
    url: "https://hooks.warehouse.example/tenancy",
    description: "Warehouse: prints what is to be packed",
    events: ["*"],
  },
  {
    url: "https://erp.example/api/hooks/tenancy",
    description: "ERP, the old one",
    events: ["store.*", "subscription.*"],
  },
  { url: "https://crm.example/hooks", description: "CRM: who came, who left", events: ["store.*", "subscription.*"] },
]

/** Customers' own domains, the days since when, and whether their owners set the record. */
const DOMAINS: [store: string, domain: string, since: number, isSet: boolean][] = [
  ["orchard", "shop.orchardcider.example", 60, true],
  ["rook", "rookandraven.example", 40, true],
  ["fern", "fernstreetbooks.example", 6, false],
  ["quarry", "www.quarry.example", 3, false],
]

/** Lives through the past, and comes back to the present. */
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

/** The last thing that is done: the CRM leaves it unanswered, so that the platform stops in the middle of telling it. */
export const seedInFlightDelivery: Section = async (seeder) => {
  await seeder.setStory({ receivers: { "crm.example": 0 } })
  await seeder.platform("POST", "/stores/gull/subscription/extend", { days: 1 })
  return {}
}

const now = Date.now()

/** A moment so many hours ago. */
const hoursAgo = (hours: number): string => new Date(now - hours * HOUR_MS).toISOString()

/** A moment of a lived day, so many hours after its beginning; yesterday's is 26 hours ago. */
const momentOfDay = (day: number, hours: number): string => hoursAgo(day * 24 + 2 - hours)

/** The days that are lived, from before the first store to yesterday. */
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

/** From here on they hear of the stores of this story only: whoever tries things out causes nothing there. */
async function restrictEndpoints(seeder: Seeder, endpoints: { id: number }[]): Promise<void> {
  const stores = pastStores.map(({ subdomain }) => subdomain)
  for (const { id } of endpoints) await seeder.platform("PATCH", `/webhooks/${id}`, { stores })
}

/**
 * One day: who comes, who pays, who leaves; at its end the cron.
 * @param before the day that was lived before this one: what happened between the two happens now
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

/** What the CRM was to be told since it broke down, and how many hours ago. */
const UNDELIVERED: [hours: number, store: string][] = [
  [20, "alder"],
  [19.5, "bitter"],
  [2, "copper"],
  [0.4, "fern"],
]

/** The hours at which the sweep came by. */
const SWEEP_HOURS = [19.9, 19.4, 19.2, 18.5, 18, 15, 14.5, 3, 1.9, 1.8, 1, 0.3, 0.2]

/** The CRM broke down yesterday: what it was told since is given up by now, or is still being tried. */
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

/** How long one waits for attempts that are due, in milliseconds: those of an endpoint that was stopped meanwhile are never made. */
const ATTEMPT_TIMEOUT_MS = 3_000

/**
 * Waits until what was due at an endpoint was tried: attempts are made behind the cron, and the clock and the receivers go on.
 * @param moment when a sweep came by; null where none did, so that only first attempts are made
 */
async function waitForAttempts(seeder: Seeder, endpoint: number, moment: string | null): Promise<void> {
  const open = async (status: string) =>
    seeder.platform<{ next_attempt_at: string | null }[]>("GET", `/webhooks/${endpoint}/deliveries?status=${status}`)
  for (const end = Date.now() + ATTEMPT_TIMEOUT_MS; Date.now() < end; await sleep(50)) {
    const waits =
      moment !== null &&
      (await open("failed")).some(({ next_attempt_at: due }) => due && Date.parse(due) <= Date.parse(moment))
    if (!waits && (await open("pending")).length === 0) return
  }
}
