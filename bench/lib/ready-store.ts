// The store that topics ask for.
import { setTimeout as sleep } from "node:timers/promises"
import type { createSeeder } from "../../tools/seed/seeder.ts"

/**
 * Makes the store `bench`.
 * @returns its id, once it is ready
 */
export async function createReadyStore(seeder: ReturnType<typeof createSeeder>): Promise<string> {
  const subdomain = "bench"
  const person = { owner_email: "owner@bench.example", password: seeder.password("owner") }
  await seeder.platform("POST", "/stores", { subdomain, name: "Benchmark", ...person })
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const { status } = await seeder.platform<{ status: string }>("GET", `/stores/${subdomain}`)
    if (status === "ready") return subdomain
    await sleep(100)
  }
  throw new Error("The store was not ready after 10 seconds.")
}
