// Wraps the Worker's bindings so that some of their calls fail, messages arrive twice, late or never, and replicas are
// stale. The calls that do not fail go to the binding itself.
import { type BoundService, callWithFaults, type FaultOptions } from "./faults.ts"
import { checkPlatformLimits, checkQueueLimits, withQueryTimeout } from "./limits.ts"

/** Makes calls of a service. */
type Call = <Result>(operation: string, run: () => Promise<Result>) => Promise<Result>

/**
 * Returns a copy of an environment with faulty bindings. Settings are copied unchanged.
 * @param env the environment that the runtime passes to the Worker
 */
export function withFaults<Env extends object>(env: Env, options: FaultOptions): Env {
  const wrap = (name: string, binding: unknown): unknown => {
    const service = serviceOf(name, binding)
    if (!service || (options.services && !options.services[service])) return binding
    const call: Call = (operation, run) => callWithFaults(options, service, operation, run)
    return WRAPPERS[service](binding as never, call, options)
  }
  return Object.fromEntries(Object.entries(env).map(([name, binding]) => [name, wrap(name, binding)])) as Env
}

const BUCKET_METHODS = ["head", "get", "put", "delete", "list", "createMultipartUpload"] as const

/** Wraps a binding of each service. */
const WRAPPERS: Record<BoundService, (binding: never, call: Call, options: FaultOptions) => unknown> = {
  d1: (database: D1Database, call, options) => wrapDatabase(database, call, options),
  "durable-object": (namespace: DurableObjectNamespace, call) => wrapNamespace(namespace, call),
  queue: (queue: Queue, call, options) => wrapQueue(queue, call, options),
  r2: (bucket: R2Bucket, call) => wrapMethods(bucket, BUCKET_METHODS, call),
  mail: (mail: SendEmail, call) => wrapMethods(mail, ["send"], call),
  assets: (assets: Fetcher, call) => wrapMethods(assets, ["fetch"], call),
}

/** Returns the service of a binding by its name or its methods; null for a setting or another binding. */
function serviceOf(name: string, binding: unknown): BoundService | null {
  if (typeof binding !== "object" || binding === null) return null
  // Static assets and the local mail binding are RPC stubs, which claim to have every member.
  if (name === "ASSETS") return "assets"
  if ("anyMember" in binding) return "mail"
  if ("withSession" in binding) return "d1"
  if ("idFromName" in binding) return "durable-object"
  if ("sendBatch" in binding) return "queue"
  if ("createMultipartUpload" in binding) return "r2"
  return "send" in binding ? "mail" : null
}

/** Wraps methods of an object; its other members are used as they are. */
function wrapMethods<Target extends object>(target: Target, methods: readonly (keyof Target)[], call: Call): Target {
  return new Proxy(target, {
    get(object, name) {
      const member = Reflect.get(object, name) as unknown
      if (typeof member !== "function") return member
      // A member of an RPC stub takes `bind` for another remote method.
      const apply = (...args: unknown[]) => Reflect.apply(member, object, args) as Promise<unknown>
      if (!methods.includes(name as keyof Target)) return apply
      return (...args: unknown[]) => call(String(name), () => apply(...args))
    },
  })
}

/** The statements behind wrapped ones, for batches. */
const statements = new WeakMap<object, D1PreparedStatement>()

function wrapStatement(sql: string, statement: D1PreparedStatement, call: Call): D1PreparedStatement {
  const wrapped = {
    bind: (...values: unknown[]) => {
      checkPlatformLimits(sql, values)
      return wrapStatement(sql, statement.bind(...values), call)
    },
    all: () => call("all", () => statement.all()),
    run: () => call("run", () => statement.run()),
    raw: (...args: []) => call("raw", () => statement.raw(...args)),
    first: (...args: [string]) => call("first", () => statement.first(...args)),
  } as unknown as D1PreparedStatement
  statements.set(wrapped, statement)
  return wrapped
}

type Batchable = Pick<D1Database, "prepare" | "batch">

const wrapBatchable = (database: Batchable, call: Call): Batchable => ({
  prepare: (query) => {
    checkPlatformLimits(query, [])
    return wrapStatement(query, database.prepare(query), call)
  },
  batch: (wrapped) =>
    call("batch", () => database.batch(wrapped.map((statement) => statements.get(statement) ?? statement))),
})

/** The constraint of sessions that any replica may serve, however old its data. */
const ANY_REPLICA = "first-unconstrained"

/** How long a stale replica repeats its results, in milliseconds. */
const REPLICA_LAG_MS = 2_000

function wrapDatabase(database: D1Database, callService: Call, options: FaultOptions): D1Database {
  const call: Call = options.areQueriesUntimed
    ? callService
    : (operation, run) => callService(operation, () => withQueryTimeout(run))
  const stale = new StaleResults(options)
  return {
    ...wrapBatchable(database, call),
    withSession: (start?: string) => {
      const session = database.withSession(start)
      const client = start === ANY_REPLICA && !options.areReplicasCurrent ? stale.wrap(session) : session
      return { ...wrapBatchable(client, call), getBookmark: () => session.getBookmark() }
    },
  } as unknown as D1Database
}

/** The methods of a statement that run it. */
const RUN_METHODS = ["all", "run", "raw", "first"] as const

/** Repeats earlier results of the same statement or batch, as a replica does that lags behind. */
class StaleResults {
  readonly #options: FaultOptions
  readonly #texts = new WeakMap<object, string>()
  readonly #results = new Map<string, { at: number; results: unknown }>()

  constructor(options: FaultOptions) {
    this.#options = options
  }

  wrap(session: D1DatabaseSession): Batchable {
    return {
      prepare: (query) => this.#remember(session.prepare(query), query),
      batch: <Row>(all: D1PreparedStatement[]) => {
        const key = all.map((statement) => this.#texts.get(statement) ?? "").join("\n")
        return this.#read(key, () => session.batch<Row>(all))
      },
    }
  }

  #remember(statement: D1PreparedStatement, text: string): D1PreparedStatement {
    this.#texts.set(statement, text)
    const bind = statement.bind.bind(statement)
    statement.bind = (...values) => this.#remember(bind(...values), `${text} ${JSON.stringify(values)}`)
    for (const name of RUN_METHODS) {
      const run = statement[name].bind(statement) as (...args: unknown[]) => Promise<unknown>
      const read = (...args: unknown[]) => this.#read(`${name} ${JSON.stringify(args)} ${text}`, () => run(...args))
      Object.assign(statement, { [name]: read })
    }
    return statement
  }

  async #read<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
    const now = Date.now()
    const known = this.#results.get(key)
    // A lagging replica is far more common than a failing one.
    const isStale = known && now - known.at < REPLICA_LAG_MS && this.#options.random() < this.#options.rate * 10
    if (isStale) return known.results as Result
    const results = await run()
    if (this.#results.size > 1_000) this.#results.clear()
    this.#results.set(key, { at: now, results })
    return results
  }
}

const wrapNamespace = (namespace: DurableObjectNamespace, call: Call): DurableObjectNamespace =>
  new Proxy(namespace, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== "function") return member
      const apply = (...args: unknown[]) => Reflect.apply(member, target, args) as unknown
      if (name === "get" || name === "getByName")
        return (...args: unknown[]) => wrapMethods(apply(...args) as DurableObjectStub, ["fetch"], call)
      if (name === "jurisdiction")
        return (...args: unknown[]) => wrapNamespace(apply(...args) as DurableObjectNamespace, call)
      return apply
    },
  })

/** Seconds by which a late message is delayed at most. */
const MAX_MESSAGE_DELAY_SECONDS = 20

/** Wraps a queue: a call fails, or one of its messages arrives twice, late or never. */
function wrapQueue(queue: Queue, call: Call, { rate, random, onFault }: FaultOptions): Queue {
  const send = async (body: unknown, sendOptions: QueueSendOptions = {}) => {
    if (random() >= rate) return queue.send(body, sendOptions)
    const fate = (["twice", "late", "never"] as const)[Math.floor(random() * 3)]
    onFault?.({ service: "queue", operation: `message arrives ${fate}`, effect: "slow", message: "" })
    if (fate === "never") return
    const delaySeconds = Math.ceil(random() * MAX_MESSAGE_DELAY_SECONDS)
    if (fate === "late") return queue.send(body, { ...sendOptions, delaySeconds })
    await queue.send(body, sendOptions)
    return queue.send(body, { ...sendOptions, delaySeconds })
  }
  return {
    send: (body: unknown, sendOptions?: QueueSendOptions) => {
      checkQueueLimits([body])
      return call("send", () => send(body, sendOptions) as Promise<never>)
    },
    sendBatch: (messages: Iterable<MessageSendRequest>) => {
      const all = [...messages]
      checkQueueLimits(all.map(({ body }) => body))
      return call("sendBatch", async () => {
        for (const { body, ...sendOptions } of all) await send(body, sendOptions)
        return undefined as never
      })
    },
  } as unknown as Queue
}
