// The one place that knows itty-durable. Its typings leave the state empty and its stubs untyped, awaiting a stub hangs, and
// a name of 64 hex digits is taken for an object id: all of that ends here.
import { createDurable, proxyDurable } from "itty-durable"

/** What an itty object is, as far as our classes use it. Public fields are its state and are loaded before the first call. */
interface IttyObject {
  state: DurableObjectState
}

/** Base class of our Durable Objects: `class Bucket extends durableObject()`. */
export const durableObject = () =>
  createDurable({ autoPersist: false, autoReturn: false }) as unknown as new (
    state: DurableObjectState,
    env: unknown,
  ) => IttyObject

/** itty-durable loads an object's fields from this key. */
export const STATE_KEY = "data"

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** The methods of an object as a caller sees them: plain JSON in, a promise of plain JSON out. */
type Remote<T> = {
  [K in Exclude<keyof T, keyof IttyObject | "alarm"> as T[K] extends (...args: never[]) => unknown
    ? K
    : never]: T[K] extends (...args: infer A extends Json[]) => infer R ? (...args: A) => Promise<Awaited<R>> : never
}

/**
 * Calls a method of a Durable Object.
 * @param namespace the class's binding
 * @param name the object's name; never a bare SHA-256 (see above), so prefix it with what it names
 * @param call picks the method: `callDurable<Bucket, Budget>(ns, "ip:…", (bucket) => bucket.take(5))`
 * @throws whatever the object throws, as an error with its status and message only
 */
export function callDurable<T, R>(
  namespace: DurableObjectNamespace,
  name: string,
  call: (object: Remote<T>) => Promise<R>,
): Promise<R> {
  // The stub stays inside this function: returned from an async one it would be awaited, and hang.
  return call(proxyDurable(namespace, { name: "durable", parse: true }).get(name) as Remote<T>)
}
