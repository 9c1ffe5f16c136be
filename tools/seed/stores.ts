// Seeds the demo stores: a paying one, one on trial and a suspended one.
import { setTimeout as sleep } from "node:timers/promises"
import { ignoreIfDone, type Section, type Seeder } from "./seeder.ts"

interface DemoStore {
  subdomain: string
  name: string
  owner_email: string
  plan: string
  theme: string
  preset: string
  trial_days: number
  suspended: boolean
}

/** The demo stores, which the banner of `npm start` lists. */
export const demoStores: DemoStore[] = [
  {
    subdomain: "acme",
    name: "Acme Ceramics",
    owner_email: "clay@acme.example",
    plan: "pro",
    theme: "atelier",
    preset: "porcelain",
    trial_days: 0,
    suspended: false,
  },
  {
    subdomain: "bloom",
    name: "Bloom & Stem",
    owner_email: "flora@bloom.example",
    plan: "starter",
    theme: "bazaar",
    preset: "fiesta",
    trial_days: 14,
    suspended: false,
  },
  {
    subdomain: "dusty",
    name: "Dusty Vinyl",
    owner_email: "miles@dusty.example",
    plan: "free",
    theme: "nocturne",
    preset: "velvet",
    trial_days: 0,
    suspended: true,
  },
]

const PROVISIONING_TIMEOUT_MS = 60_000

/** Creates the stores, waits for their provisioning, and suspends one. */
export const seedStores: Section = async (seeder) => {
  for (const { suspended: _, ...store } of demoStores) {
    const body = { ...store, password: seeder.password(store.owner_email) }
    await ignoreIfDone(({ code }) => code === "subdomain_taken", seeder.platform("POST", "/stores", body))
  }
  for (const { subdomain, suspended } of demoStores) {
    await assertProvisioned(seeder, subdomain)
    if (suspended)
      await ignoreIfDone(
        ({ code }) => code === "illegal_transition",
        seeder.platform("POST", `/stores/${subdomain}/suspend`),
      )
  }
  const [{ owner_email: email }] = demoStores as [DemoStore]
  return { owner: { email, password: seeder.password(email) } }
}

async function assertProvisioned(seeder: Seeder, id: string): Promise<void> {
  if ((await waitForProvisioning(seeder, id)) === "failed") throw new Error(`Provisioning the store ${id} failed.`)
}

/** Waits until provisioning has succeeded or failed; returns the status. */
export async function waitForProvisioning(seeder: Seeder, id: string): Promise<string> {
  for (const end = Date.now() + PROVISIONING_TIMEOUT_MS; Date.now() < end; await sleep(50)) {
    const { status } = await seeder.platform<{ status: string }>("GET", `/stores/${id}`)
    if (status !== "pending" && status !== "provisioning") return status
  }
  throw new Error(`The store ${id} was not ready after ${PROVISIONING_TIMEOUT_MS / 1000} seconds.`)
}
