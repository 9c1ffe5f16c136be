// Records whether a test used a database, bucket, cache or Durable Object, so that storage is created again only then.
import { env } from "cloudflare:workers"

/** Whether all storage is as `setup.ts` created it, the buckets that were used since, and the number of the test. */
export const storage = { isPristine: false, buckets: new Set<R2Bucket>(), test: 0 }

const isBucket = (value: unknown): value is R2Bucket =>
  Object.getPrototypeOf(Object(value)) === Object.getPrototypeOf(env.MEDIA)

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
      if (isBucket(this)) storage.buckets.add(this)
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
