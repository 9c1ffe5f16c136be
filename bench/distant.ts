// The platform with its databases and objects far away: every question to one of them takes so many milliseconds longer.
// layers: it is the Worker itself, with other bindings
import worker from "../src/index"

// layers: as above
export { EndpointFailures, RateLimitBucket } from "../src/index"

/** Milliseconds of each question. */
const DISTANCE = 25

/** What asks; whatever else is called on a binding only prepares that. */
const ASKS = new Set<PropertyKey>(["all", "batch", "exec", "fetch", "first", "raw", "run"])

/** What stands behind each stand-in. */
const behind = new WeakMap<object, object>()

function near(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(near)
  return typeof value === "object" && value !== null ? (behind.get(value) ?? value) : value
}

/** A binding, or what one of its methods answered, that asks from afar. */
function far<Binding extends object>(binding: Binding): Binding {
  const stand = new Proxy(binding, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: unknown[]) => {
        const call = () => value.apply(target, args.map(near))
        if (ASKS.has(name)) return scheduler.wait(DISTANCE).then(call)
        const answer = call()
        return typeof answer === "object" && answer !== null ? far(answer) : answer
      }
    },
  })
  behind.set(stand, binding)
  return stand
}

type Env = Parameters<typeof worker.fetch>[1]

/** Made once: what the platform remembers it remembers by its bindings. */
const stands = new WeakMap<object, Env>()

function distantOf(env: Env): Env {
  const known = stands.get(env.DB)
  if (known) return known
  const bindings = Object.entries(env).map(([name, binding]) => [name, isAsked(binding) ? far(binding) : binding])
  const made = Object.fromEntries(bindings) as Env
  stands.set(env.DB, made)
  return made
}

/** Databases and objects. */
const isAsked = (binding: unknown): binding is object =>
  typeof binding === "object" && binding !== null && ("prepare" in binding || "idFromName" in binding)

export default {
  ...worker,
  fetch: (request, env, execution) => worker.fetch(request, distantOf(env), execution),
} satisfies typeof worker
