// Commands about customers' domains.
import * as z from "zod"
import { timestamp } from "../lib/time"
import { listHostnames, settleHostnames } from "../platform/domains/hostnames"
import { type Command, command, flag } from "./command"

const List = z.object({ all: flag.default(false).describe("those that are ready, too") })

export const domainCommands: Record<string, Command> = {
  "hostnames:list": command(
    "List the customers' domains that Cloudflare does not serve yet, or still has to forget, and why",
    List,
    async (ctx, { all }) =>
      (await listHostnames(ctx, { open: !all })).map((row) => ({
        hostname: row.hostname,
        wanted: row.wanted,
        status: row.status,
        certificate: row.certificate,
        fault: row.fault,
        failures: row.failures,
        next_at: timestamp(row.nextAt),
      })),
  ),
  "hostnames:settle": command(
    "Tell Cloudflare of the customers' domains that are due, as the cron run of every hour does",
    z.object({}),
    async (ctx) => {
      await settleHostnames(ctx)
      return { open: (await listHostnames(ctx, { open: true })).length }
    },
  ),
}
