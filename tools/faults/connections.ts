// The connections of an invocation. workerd has no limit; Cloudflare lets a call wait until one of six is free.
// https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
import { AsyncLocalStorage } from "node:async_hooks"
import { Semaphore } from "../../src/lib/semaphore.ts"

/** Connections that an invocation may have at once. */
const MAX_CONNECTIONS = 6

/** The connections of the running invocation. */
const connections = new AsyncLocalStorage<Semaphore>()

/** Runs an invocation of the Worker with six connections. */
export const runInvocation = <Result>(run: () => Result): Result => connections.run(new Semaphore(MAX_CONNECTIONS), run)

/** Runs a call of a service once the running invocation has a free connection; at once outside of an invocation. */
export const withConnection = <Result>(call: () => Promise<Result>): Promise<Result> => {
  const free = connections.getStore()
  return free ? free.with(call) : call()
}
