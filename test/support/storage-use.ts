// Records whether a test used a database, bucket, cache or Durable Object, so that storage is created again only then.
import { env } from "cloudflare:workers"

/** Whether all storage is as `setup.ts` created it. */
export const storage = { isPristine: false }

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
      return method.apply(this, args)
    })
  }
}
