// Wraps itty-durable, which stores an object's fields and loads them before the first call. Its router and stubs are
// not used: they parse a URL and allocate a dozen runtime objects per call. Its types leave the state empty.
import { createDurable } from "itty-durable"

/**
 * The part of an itty object that our classes use. Public fields are its state and are loaded before the first call.
 */
interface IttyObject {
  state: DurableObjectState
  /** Loads the fields once. */
  loadFromStorage(): Promise<void>
  fetch(request: Request): Promise<Response>
}

type IttyClass = new (state: DurableObjectState, env: unknown) => IttyObject

/** The request header with the method and its arguments. */
const CALL = "X-Call"

/** A placeholder URL that nothing reads. */
const ADDRESS = "https://object/"

/** Base class of our Durable Objects: `class Bucket extends durableObject()`. */
export function durableObject(): IttyClass {
  const Itty = createDurable({ autoPersist: false, autoReturn: false }) as unknown as IttyClass
  return class extends Itty {
    override async fetch(request: Request): Promise<Response> {
      const [method, ...args] = JSON.parse(request.headers.get(CALL) ?? "[]") as [string, ...Json[]]
      const methods = this as unknown as Record<string, (...args: Json[]) => Json | Promise<Json>>
      try {
        await this.loadFromStorage()
        return Response.json(await methods[method]?.(...args))
      } catch (cause) {
        return Response.json(cause instanceof Error ? cause.message : String(cause), { status: 500 })
      }
    }
  }
}

/** itty-durable loads an object's fields from this key. */
export const STATE_KEY = "data"

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** An object's methods as callers see them: JSON arguments, a promise of JSON. */
export type Remote<T> = {
  [K in Exclude<keyof T, keyof IttyObject | "alarm"> as T[K] extends (...args: never[]) => unknown
    ? K
    : never]: T[K] extends (...args: infer A extends Json[]) => infer R ? (...args: A) => Promise<Awaited<R>> : never
}

/** Where new Durable Objects are created. Objects that exist stay where they are. */
interface DurableLocation {
  /** Restricts where objects run and store data. A name is another object in each jurisdiction. */
  jurisdiction: DurableObjectJurisdiction | undefined
  /** A region to create objects in; without it, they are created near the first caller. */
  locationHint: DurableObjectLocationHint | undefined
}

/** Reads the location from the settings. */
export const durableLocation = (settings: {
  DURABLE_OBJECT_JURISDICTION: DurableLocation["jurisdiction"]
  DURABLE_OBJECT_LOCATION_HINT: DurableLocation["locationHint"]
}): DurableLocation => ({
  jurisdiction: settings.DURABLE_OBJECT_JURISDICTION,
  locationHint: settings.DURABLE_OBJECT_LOCATION_HINT,
})

/**
 * Calls a method of a Durable Object.
 * @param namespace the class's binding
 * @param name the object's name
 * @param call picks the method: `callDurable<Bucket, Budget>(ns, "ip:…", (bucket) => bucket.take(5))`
 * @param location where the object is created if it does not exist
 * @throws errors of the object, as an error with its message only; errors of the runtime unchanged
 */
export async function callDurable<T, R>(
  namespace: DurableObjectNamespace,
  name: string,
  call: (object: Remote<T>) => Promise<R>,
  { jurisdiction, locationHint }: Partial<DurableLocation> = {},
): Promise<R> {
  const objects = jurisdiction ? namespace.jurisdiction(jurisdiction) : namespace
  const stub = objects.get(objects.idFromName(name), locationHint && { locationHint })
  const methods = {
    get:
      (_: object, method: string) =>
      (...args: Json[]) =>
        invoke(stub, [method, ...args]),
  }
  return call(new Proxy({}, methods) as Remote<T>)
}

async function invoke(stub: DurableObjectStub, called: Json[]): Promise<Json> {
  const response = await stub.fetch(ADDRESS, { headers: { [CALL]: JSON.stringify(called) } })
  const result = await response.json<Json>()
  if (response.status !== 200) throw new Error(String(result))
  return result
}
