// Long-running commands: `deliveries:tail` prints deliveries as they change, `webhooks:recover` shows the progress of a
// recovery.
import { setTimeout as sleep } from "node:timers/promises"
import { UserError } from "../lib/project.ts"
import { type CommandLine, getTextOption } from "./arguments.ts"
import { createProgressBar, type Stream } from "./progress.ts"
import { retryUntilReachable } from "./retry.ts"
import { createPainter, escapeUnprintable, replaceUnprintable, supportsColor } from "./terminal.ts"

const POLL_INTERVAL_MS = 1_000

/** Open deliveries to poll; with more, only the newest are watched. */
const MAX_OPEN_DELIVERIES = 100

/** Runs a command in the Worker. */
export type RunCommand = <Result>(name: string, options: object) => Promise<Result>

interface Delivery {
  id: number
  endpoint_id: number
  event: string
  status: string
  attempt: number
  response_status: number | null
  error: string | null
  updated_at: string
}

/**
 * Prints each delivery when it is created and whenever it changes, until the process ends.
 * @param wait waits before the next poll
 */
export async function tailDeliveries(
  { options, json }: Pick<CommandLine, "options" | "json">,
  runCommand: RunCommand,
  wait: () => Promise<unknown> = () => sleep(POLL_INTERVAL_MS),
): Promise<never> {
  const endpoint = getTextOption(options, "endpoint")
  let after: string | undefined
  const open = new Map<number, string>()
  for (;;) {
    const params = {
      ...(endpoint && { endpoint }),
      ...(after !== undefined && { after }),
      open: [...open.keys()].join(","),
    }
    const { deliveries, last } = await retryUntilReachable(() =>
      runCommand<{ deliveries: Delivery[]; last: string }>("deliveries:tail", params),
    )
    for (const delivery of deliveries) {
      const state = `${delivery.status} ${delivery.attempt}`
      if (open.get(delivery.id) !== state) printDelivery(delivery, json)
      if (delivery.status === "delivered" || delivery.status === "exhausted") open.delete(delivery.id)
      else open.set(delivery.id, state)
    }
    for (const id of [...open.keys()].slice(0, -MAX_OPEN_DELIVERIES)) open.delete(id)
    after = last
    await wait()
  }
}

const STATUS_COLORS = { delivered: "green", failed: "yellow", exhausted: "red" } as const

function printDelivery(delivery: Delivery, json: boolean): void {
  if (json) return void console.log(escapeUnprintable(JSON.stringify(delivery)))
  const paint = createPainter(supportsColor(process.stdout))
  const colour = STATUS_COLORS[delivery.status as keyof typeof STATUS_COLORS] ?? "dim"
  const outcome = delivery.error ?? (delivery.response_status === null ? "" : String(delivery.response_status))
  const parts = [
    paint("dim", delivery.updated_at),
    `#${delivery.id}`,
    `endpoint ${delivery.endpoint_id}`,
    paint("bold", replaceUnprintable(delivery.event)),
    paint(colour, delivery.status),
    delivery.attempt ? `attempt ${delivery.attempt}` : "",
    replaceUnprintable(outcome),
  ]
  console.log(parts.filter(Boolean).join("  "))
}

interface Progress {
  queued: number
  done: number
  failed: number
  /** Whether the endpoint is active and was not disabled by failures. */
  is_receiving: boolean
}

/**
 * Starts a recovery and shows its progress until it is done.
 * @param wait waits before the next poll
 * @returns the final progress
 * @throws Error when the endpoint is disabled, which pauses the recovery
 */
export async function recoverWebhooks(
  { options }: Pick<CommandLine, "options">,
  runCommand: RunCommand,
  { wait = () => sleep(POLL_INTERVAL_MS), stream }: { wait?: () => Promise<unknown>; stream?: Stream } = {},
): Promise<Omit<Progress, "is_receiving">> {
  const endpoint = getTextOption(options, "endpoint")
  if (endpoint === undefined) throw new UserError("webhooks:recover requires --endpoint=<id>.")
  const { queued } = await runCommand<{ queued: number }>("webhooks:recover", options)
  const bar = createProgressBar("recovering", queued, stream)
  try {
    for (;;) {
      const now = await retryUntilReachable(() => runCommand<Progress | null>("webhooks:progress", { endpoint }))
      if (!now) return { queued, done: 0, failed: 0 }
      const { is_receiving: isReceiving, ...progress } = now
      if (now.done + now.failed >= now.queued) return progress
      if (!isReceiving) throw new Error("The endpoint is disabled. Enable it to continue.")
      bar.show(now.done + now.failed, now.failed ? `${now.failed} failed` : "")
      await wait()
    }
  } finally {
    bar.end()
  }
}
