// Runs the cases of clients/cases.json with the JavaScript client, in a separate process: reads a command per line as
// JSON and prints its result.
import { createInterface } from "node:readline"
import { signWebhook, Tenancy, TenancyError, verifyWebhook, WebhookVerificationError } from "../../src/client/index.ts"

interface Command {
  verify?: { headers: Record<string, string>; body: string; secret: string | string[]; tolerance?: number }
  sign?: { event: string; secret: string; timestamp: number }
  client: { baseUrl: string; key: string; timeout?: number; maxRetries?: number }
  call: string
  ids?: string[]
  input?: object
  options?: { timeout?: number }
  read?: { page?: number; take?: number }
}

type Method = (...args: unknown[]) => unknown

interface AnyList extends AsyncIterable<unknown> {
  page(number: number): Promise<unknown>
  take(count: number): Promise<unknown>
  all(): Promise<unknown>
}

let delays: number[] = []

// Shortens the client's delays. Timers with arguments are those of `fetch`.
const setTimer = globalThis.setTimeout
globalThis.setTimeout = ((callback: () => void, ms: number, ...args: []) =>
  setTimer(callback, args.length ? ms : Math.min(ms, 20), ...args)) as typeof setTimeout

/** Settings and options of the cases are in seconds. */
const toMilliseconds = <Options extends { timeout?: number }>({ timeout, ...options }: Options) => ({
  ...options,
  ...(timeout !== undefined && { timeout: timeout * 1_000 }),
})

async function runCommand({ verify, sign, client, call, ids = [], input, options, read }: Command): Promise<unknown> {
  if (verify) return verifyWebhook(verify, verify.secret, verify)
  if (sign) return signWebhook(sign.event, sign.secret, sign)
  const tenancy = new Tenancy({
    ...(toMilliseconds(client) as Command["client"]),
    onRetry: ({ delayMs }) => delays.push(delayMs / 1_000),
  })
  const [resource = "", verb = ""] = call.split(".")
  const methods = (tenancy as unknown as Record<string, Record<string, Method>>)[resource]
  const args = [...ids, ...(input ? [input] : []), ...(options ? [toMilliseconds(options)] : [])]
  const result = methods?.[verb]?.(...args)
  if (!read) return result
  const list = result as AnyList
  if (read.page) return list.page(read.page)
  if (read.take === undefined) return list.all()
  return verb === "follow" ? takeFrom(list, read.take) : list.take(read.take)
}

async function takeFrom(items: AsyncIterable<unknown>, count: number): Promise<unknown[]> {
  const taken: unknown[] = []
  for await (const item of items) if (taken.push(item) === count) break
  return taken
}

function describeError(error: unknown): object {
  if (error instanceof TenancyError) {
    const { code, status, message, errors, retryAfter, requestId, operation } = error
    return { code, status, message, errors, retryAfter, requestId, operation }
  }
  if (error instanceof WebhookVerificationError) return { code: error.code }
  if (error instanceof TypeError) return { type: "Usage" }
  throw error
}

for await (const line of createInterface({ input: process.stdin })) {
  delays = []
  const output = await runCommand(JSON.parse(line)).then(
    (result) => ({ result: result ?? null }),
    (error) => ({ error: describeError(error) }),
  )
  console.log(JSON.stringify({ ...output, delays }))
}
