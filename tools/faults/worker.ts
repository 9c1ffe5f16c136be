// The entry point of `npm start -- --faults=<rate>`: the Worker with faulty bindings, outbound requests and objects.
import { EndpointFailures as Failures } from "../../durable/endpoint-failures"
import { RateLimitBucket as Bucket } from "../../durable/rate-limit-bucket"
import type { Env } from "../../src/bindings"
import worker from "../../src/index"
import { seededRandom } from "../lib/random"
import { withFaults } from "./bindings"
import { runInvocation, withConnection } from "./connections"
import { callWithFaults, type FaultOptions } from "./faults"

/** Settings of this entry point only. */
interface FaultEnv extends Env {
  /** The share of calls that fail, from 0 to 1. */
  FAULT_RATE: string
  FAULT_SEED?: string
  DNS_RESOLVER_URL: string
}

let options: FaultOptions | undefined

/** One environment per isolate, because the Worker caches by it. */
const environments = new WeakMap<object, Env>()

function prepare(env: Env): Env {
  const known = environments.get(env)
  if (known) return known
  const { FAULT_RATE, FAULT_SEED, DNS_RESOLVER_URL } = env as FaultEnv
  options ??= {
    rate: Number(FAULT_RATE),
    random: FAULT_SEED ? seededRandom(Number(FAULT_SEED)) : Math.random,
    connect: withConnection,
    onFault: ({ message: error, ...fault }) =>
      console.log(JSON.stringify({ level: "info", message: "injected fault", error, ...fault })),
  }
  makeRequestsFail(options, new URL(DNS_RESOLVER_URL).host)
  const faulty = withFaults(env, options)
  environments.set(env, faulty)
  return faulty
}

let areRequestsFaulty = false

/** Makes requests to the DNS resolver fail. Receivers and other services have other faults. */
function makeRequestsFail(faultOptions: FaultOptions, host: string): void {
  if (areRequestsFaulty) return
  areRequestsFaulty = true
  const send = globalThis.fetch.bind(globalThis)
  globalThis.fetch = ((input: RequestInfo | URL, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const call = () => send(input, init)
    return url.host === host ? callWithFaults(faultOptions, "fetch", "dns", call) : withConnection(call)
  }) as typeof fetch
}

/** Evicts an object at random, so that it loses everything that it has not stored. */
const evict = ({ state }: { state: DurableObjectState }): void => {
  if (options && options.random() < options.rate) state.abort("Durable Object reset because its code was updated.")
}

export class EndpointFailures extends Failures {
  override async fetch(request: Request): Promise<Response> {
    evict(this)
    return super.fetch(request)
  }
}

export class RateLimitBucket extends Bucket {
  override async fetch(request: Request): Promise<Response> {
    evict(this)
    return super.fetch(request)
  }
}

export default {
  fetch: (request, env, execution) => runInvocation(() => worker.fetch(request as never, prepare(env), execution)),
  queue: (batch, env, execution) => runInvocation(() => worker.queue(batch, prepare(env), execution)),
  scheduled: (controller, env, execution) => runInvocation(() => worker.scheduled(controller, prepare(env), execution)),
} satisfies ExportedHandler<Env>
