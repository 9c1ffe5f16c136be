// Counts the usage of the demo stores, which otherwise would be counted in the next night.
import { setTimeout as sleep } from "node:timers/promises"
import type { Section, Seeder } from "./seeder.ts"
import { demoStores } from "./stores.ts"

/** Timeout of the snapshot, which is stored in the background. */
const TIMEOUT_MS = 10_000

export const seedUsage: Section = async (seeder) => {
  for (const { subdomain } of demoStores) await refreshUsage(seeder, subdomain)
  return {}
}

/** Counts a store's usage and waits until it is stored. */
async function refreshUsage(seeder: Seeder, store: string): Promise<void> {
  const read = async (query = "") => {
    const { usage } = await seeder.platform<{ usage: object }>("GET", `/stores/${store}/usage${query}`)
    return JSON.stringify({ ...usage, collected_at: null })
  }
  const counted = await read("?refresh=true")
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await sleep(50)) if ((await read()) === counted) return
  throw new Error(`The usage of the store ${store} was not stored.`)
}
