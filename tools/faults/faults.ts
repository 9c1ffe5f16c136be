// Decides which calls fail and how. The messages are those that Cloudflare's services really return.

/** How a call fails. */
type Effect =
  /** It is rejected before it runs, and says so. */
  | "rejected"
  /** It fails before it takes effect; the caller cannot know that. */
  | "before"
  /** It takes effect, and the response is lost. */
  | "after"
  /** It takes seconds. */
  | "slow"

/** A service that is called through a binding. */
export type BoundService = "d1" | "durable-object" | "queue" | "r2" | "mail" | "assets"

/** A service that the Worker calls. */
export type Service = BoundService | "fetch"

export interface FaultOptions {
  /** The share of calls that fail, from 0 to 1. */
  rate: number
  /** Returns random numbers from 0 to 1. */
  random: () => number
  /** The services that fail, and how; all of them in every way by default. */
  services?: Partial<Record<Service, readonly Effect[]>>
  /** Whether replicas have every write; by default, they repeat earlier results now and then. */
  areReplicasCurrent?: boolean
  /** Whether queries may take any time; by default, they fail after the time limit of D1. */
  areQueriesUntimed?: boolean
  /** Runs a call once the invocation has a free connection. */
  connect?: <Result>(run: () => Promise<Result>) => Promise<Result>
  /** Called with each fault. */
  onFault?: (fault: Fault & { service: Service; operation: string }) => void
}

interface Fault {
  effect: Effect
  /** The message of the error; of a slow call none. */
  message: string
}

/** Messages of calls that did not run. https://developers.cloudflare.com/d1/observability/debug-d1/ */
export const REJECTIONS: Record<Service, readonly string[]> = {
  d1: [
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  ],
  "durable-object": [
    "Durable Object is overloaded. Too many requests queued.",
    "Cannot resolve Durable Object due to transient issue on remote node.",
  ],
  queue: ["Queue is overloaded. Please back off."],
  r2: ["put: Reduce your rate of concurrent requests for the same object. (10058) Try again."],
  mail: ["Internal error: the message was not accepted, try again"],
  assets: ["Network connection lost."],
  fetch: ["Network connection lost."],
}

/** Messages of calls that may have run. */
export const INTERRUPTIONS: Record<Service, readonly string[]> = {
  d1: [
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: Replica disconnected from primary.",
    "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
  ],
  "durable-object": [
    "Network connection lost.",
    "Durable Object reset because its code was updated.",
    "Durable Object storage operation exceeded timeout which caused object to be reset.",
  ],
  queue: ["Network connection lost.", "Queue sendBatch failed: Internal error"],
  r2: ["put: We encountered an internal error. Please try again. (10001)", "Network connection lost."],
  mail: ["Network connection lost."],
  assets: ["Network connection lost."],
  fetch: ["Network connection lost."],
}

/** Milliseconds by which a slow call is delayed at most. */
const MAX_DELAY_MS = 3_000

const ALL_EFFECTS: readonly Effect[] = ["rejected", "before", "after", "slow"]

/**
 * Runs a call of a service, or makes it fail.
 * @param operation for the log, such as `batch`
 * @param call makes it
 */
export async function callWithFaults<Result>(
  options: FaultOptions,
  service: Service,
  operation: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const run = () => (options.connect ? options.connect(call) : call())
  const fault = rollFault(options, service)
  if (!fault) return run()
  options.onFault?.({ ...fault, service, operation })
  switch (fault.effect) {
    case "rejected":
    case "before":
      throw new Error(fault.message)
    case "after":
      await run()
      throw new Error(fault.message)
    case "slow":
      await new Promise((resolve) => setTimeout(resolve, options.random() * MAX_DELAY_MS))
      return run()
  }
}

function rollFault({ rate, random, services }: FaultOptions, service: Service): Fault | null {
  const effects = services ? (services[service] ?? []) : ALL_EFFECTS
  if (!effects.length || random() >= rate) return null
  const effect = pick(effects, random)
  return { effect, message: pick((effect === "rejected" ? REJECTIONS : INTERRUPTIONS)[service], random) }
}

const pick = <Item>(items: readonly Item[], random: () => number): Item =>
  items[Math.floor(random() * items.length)] as Item
