// Commands that stay: `deliveries:tail` prints deliveries as they change, `webhooks:recover` shows how far a recovery is.
import { setTimeout as sleep } from "node:timers/promises"
import { UserError } from "../lib/project.ts"
import { allowOptions, type CommandLine, textOption } from "./arguments.ts"
import { progressBar, type Stream } from "./progress.ts"
import { untilAnswered } from "./retry.ts"
import { escaped, painter, printable, takesColour } from "./terminal.ts"

/** Milliseconds from one look to the next. */
const LOOK = 1_000

/** Deliveries that are looked at again while they are open. */
const MOST_OPEN = 100

/** Has the Worker carry a command out. */
export type Ask = <Answer>(name: string, options: object) => Promise<Answer>

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
 * Prints each delivery when it is opened and whenever it changes, until the process ends.
 * @param rest waits from one look to the next
 */
export async function tailDeliveries(
  { options, json }: Pick<CommandLine, "options" | "json">,
  ask: Ask,
  rest: () => Promise<unknown> = () => sleep(LOOK),
): Promise<never> {
  allowOptions(options, ["endpoint"])
  const endpoint = textOption(options, "endpoint")
  let after: number | undefined
  const open = new Map<number, string>()
  for (;;) {
    const wanted = {
      ...(endpoint && { endpoint }),
      ...(after !== undefined && { after }),
      open: [...open.keys()].join(","),
    }
    const { deliveries, last } = await untilAnswered(() =>
      ask<{ deliveries: Delivery[]; last: number }>("deliveries:tail", wanted),
    )
    for (const delivery of deliveries) {
      const state = `${delivery.status} ${delivery.attempt}`
      if (open.get(delivery.id) !== state) print(delivery, json)
      if (delivery.status === "delivered" || delivery.status === "exhausted") open.delete(delivery.id)
      else open.set(delivery.id, state)
    }
    // Of very many that wait, the newest are watched.
    for (const id of [...open.keys()].slice(0, -MOST_OPEN)) open.delete(id)
    after = last
    await rest()
  }
}

const COLOURS = { delivered: "green", failed: "yellow", exhausted: "red" } as const

function print(delivery: Delivery, json: boolean): void {
  if (json) return void console.log(escaped(JSON.stringify(delivery)))
  const paint = painter(takesColour(process.stdout))
  const colour = COLOURS[delivery.status as keyof typeof COLOURS] ?? "dim"
  const outcome = delivery.error ?? (delivery.response_status === null ? "" : String(delivery.response_status))
  const parts = [
    paint("dim", delivery.updated_at),
    `#${delivery.id}`,
    `endpoint ${delivery.endpoint_id}`,
    paint("bold", printable(delivery.event)),
    paint(colour, delivery.status),
    delivery.attempt ? `attempt ${delivery.attempt}` : "",
    printable(outcome),
  ]
  console.log(parts.filter(Boolean).join("  "))
}

interface Progress {
  queued: number
  done: number
  failed: number
}

/**
 * Begins a recovery and waits until it is done, its progress on the terminal.
 * @param rest waits from one look to the next
 * @returns the last progress
 */
export async function recover(
  { options }: Pick<CommandLine, "options">,
  ask: Ask,
  { rest = () => sleep(LOOK), stream }: { rest?: () => Promise<unknown>; stream?: Stream } = {},
): Promise<Progress> {
  const endpoint = textOption(options, "endpoint")
  if (endpoint === undefined) throw new UserError("webhooks:recover needs --endpoint=.")
  const { queued } = await ask<{ queued: number }>("webhooks:recover", options)
  const bar = progressBar("recovering", queued, stream)
  try {
    for (;;) {
      const now = await untilAnswered(() => ask<Progress | null>("webhooks:progress", { endpoint }))
      if (!now || now.done + now.failed >= now.queued) return now ?? { queued, done: 0, failed: 0 }
      bar.show(now.done + now.failed, now.failed ? `${now.failed} failed` : "")
      await rest()
    }
  } finally {
    bar.end()
  }
}
