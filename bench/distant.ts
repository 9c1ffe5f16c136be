// Runs the platform with added latency on every call to a database or Durable Object.
// lint: runs the Worker itself with other bindings
import type { Env } from "../src/bindings"
// lint: as above
import worker from "../src/index"

// lint: as above
export { EndpointFailures, RateLimitBucket } from "../src/index"

/** Added latency per call. */
const LATENCY_MS = 25

/** Methods that make a remote call; others only prepare one. */
const REMOTE_METHODS = new Set<PropertyKey>(["all", "batch", "exec", "fetch", "first", "raw", "run"])

/** The original object of each proxy. */
const originals = new WeakMap<object, object>()

function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrap)
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value
}

/** Wraps a binding, or a value returned by it, so that its remote calls are delayed. */
function delayCalls<Binding extends object>(binding: Binding): Binding {
  const proxy = new Proxy(binding, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: unknown[]) => {
        const call = () => value.apply(target, args.map(unwrap))
        if (REMOTE_METHODS.has(name)) return scheduler.wait(LATENCY_MS).then(call)
        const answer = call()
        return typeof answer === "object" && answer !== null ? delayCalls(answer) : answer
      }
    },
  })
  originals.set(proxy, binding)
  return proxy
}

/** Cached, because the platform's caches use the bindings as keys. */
const delayedEnvs = new WeakMap<object, Env>()

function getDelayedEnv(env: Env): Env {
  const known = delayedEnvs.get(env.DB)
  if (known) return known
  const bindings = Object.entries(env).map(([name, binding]) => [
    name,
    isRemoteBinding(binding) ? delayCalls(binding) : binding,
  ])
  const made = Object.fromEntries(bindings) as Env
  delayedEnvs.set(env.DB, made)
  return made
}

/** Checks for a database or a Durable Object namespace. */
const isRemoteBinding = (binding: unknown): binding is object =>
  typeof binding === "object" && binding !== null && ("prepare" in binding || "idFromName" in binding)

export default {
  ...worker,
  fetch: (request, env, execution) => worker.fetch(request, getDelayedEnv(env), execution),
} satisfies ExportedHandler<Env>
