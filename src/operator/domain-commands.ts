// CLI commands for stores' custom domains at Cloudflare.
import * as z from "zod"
import { formatTimestamp } from "../lib/time"
import { listHostnames, reconcileHostnames } from "../platform/domains/hostnames"
import { type Command, command, flag } from "./command"

const List = z.object({ all: flag.default(false).describe("Include domains that are ready") })

export const domainCommands: Record<string, Command> = {
  "hostnames:list": command(
    "List custom domains that are still being set up or removed at Cloudflare, with their errors",
    List,
    async (ctx, { all }) =>
      (await listHostnames(ctx, { onlyPending: !all })).map((row) => ({
        hostname: row.hostname,
        wanted: row.desired,
        status: row.status,
        certificate: row.certificate,
        fault: row.error,
        failures: row.failures,
        next_at: formatTimestamp(row.nextAt),
      })),
  ),
  "hostnames:settle": command(
    "Sync pending custom domains with Cloudflare now instead of waiting for the hourly job",
    z.object({}),
    async (ctx) => {
      await reconcileHostnames(ctx)
      return { open: (await listHostnames(ctx, { onlyPending: true })).length }
    },
  ),
}
