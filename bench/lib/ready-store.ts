// Creates the store that the benchmarks use.
import { setTimeout as sleep } from "node:timers/promises"
import type { createSeeder } from "../../tools/seed/seeder.ts"

/**
 * Creates the store `bench` and waits until it is ready.
 * @returns its id
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
