// Records which databases, buckets, caches and Durable Objects a test used, so that only these are emptied.
import { env } from "cloudflare:workers"

/** What was used since `setup.ts` created or emptied all storage, and the number of the test. */
export const storage = {
  isPristine: false,
  databases: new Set<D1Database>(),
  buckets: new Set<R2Bucket>(),
  hasCached: false,
  test: 0,
}

/** Records that all storage is as `setup.ts` creates it. */
export function markPristine(): void {
  storage.isPristine = true
  storage.databases.clear()
  storage.buckets.clear()
  storage.hasCached = false
}

const isDatabase = (value: unknown): value is D1Database => hasPrototypeOf(value, env.DB)

const isBucket = (value: unknown): value is R2Bucket => hasPrototypeOf(value, env.MEDIA)

const hasPrototypeOf = (value: unknown, other: object): boolean =>
  Object.getPrototypeOf(Object(value)) === Object.getPrototypeOf(other)

/** The methods that every use of a kind of storage calls first. */
const METHODS: [prototype: object, names: string[]][] = [
  [Object.getPrototypeOf(env.DB), ["prepare", "batch", "withSession", "exec"]],
  [Object.getPrototypeOf(env.MEDIA), ["put", "get", "head", "list", "delete", "createMultipartUpload"]],
  [Object.getPrototypeOf(env.RATE_LIMIT), ["get", "getByName"]],
  [Object.getPrototypeOf(caches.default), ["put", "match", "delete"]],
]

for (const [prototype, names] of METHODS) {
  for (const name of names) {
    const method: unknown = Reflect.get(prototype, name)
    if (typeof method !== "function") continue
    Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
      storage.isPristine = false
      if (isDatabase(this)) storage.databases.add(this)
      if (isBucket(this)) storage.buckets.add(this)
      if (this === caches.default && name === "put") storage.hasCached = true
      return method.apply(this, args)
    })
  }
}

// `reset` sometimes misses a Durable Object that hibernated, so every test gets its own objects.
const objects = Object.getPrototypeOf(env.RATE_LIMIT) as DurableObjectNamespace
const { idFromName } = objects
objects.idFromName = function (name) {
  return idFromName.call(this, `${storage.test} ${name}`)
}
