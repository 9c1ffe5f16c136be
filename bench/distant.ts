// The platform with its databases and objects far away: every question to one of them takes so many milliseconds longer.
// layers: it is the Worker itself, with other bindings
import worker from "../src/index"

// layers: as above
export { EndpointFailures, RateLimitBucket } from "../src/index"

/** Milliseconds of each question. */
const LATENCY_MS = 25

/** What asks; whatever else is called on a binding only prepares that. */
const REMOTE_METHODS = new Set<PropertyKey>(["all", "batch", "exec", "fetch", "first", "raw", "run"])

/** What stands behind each stand-in. */
const originals = new WeakMap<object, object>()

function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrap)
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value
}

/** A binding, or what one of its methods answered, that asks from afar. */
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

type Env = Parameters<typeof worker.fetch>[1]

/** Made once: what the platform remembers it remembers by its bindings. */
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

/** Databases and objects. */
const isRemoteBinding = (binding: unknown): binding is object =>
  typeof binding === "object" && binding !== null && ("prepare" in binding || "idFromName" in binding)

export default {
  ...worker,
  fetch: (request, env, execution) => worker.fetch(request, getDelayedEnv(env), execution),
} satisfies typeof worker
