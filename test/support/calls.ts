// Every call that the Worker makes beside its databases, to queues, objects, buckets, mail and the network: for tests to see them, or to
// let one of them fail.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import type { Fault } from "./faults"

type Call = (...args: unknown[]) => unknown

/** Stands in for a method, be it real or what a test put in its place; answers how that is undone. */
function standIn(target: object, name: string, around: (real: Call) => Call): () => void {
  const methods = target as Record<string, Call>
  const known = methods[name] as Call
  // A binding's method may be a stub of which every property is another call: it is applied, never bound.
  const applied =
    (method: Call): Call =>
    (...args) =>
      Reflect.apply(method, target, args)
  if (vi.isMockFunction(known)) {
    const before = known.getMockImplementation() ?? (async () => undefined)
    known.mockImplementation(around(applied(before)))
    return () => void known.mockImplementation(before)
  }
  const spy = vi.spyOn(methods, name).mockImplementation(around(applied(known)))
  return () => spy.mockRestore()
}

/** A call beside the databases. */
export interface CallMade {
  /** What is called, such as `JOB_QUEUE.send`. */
  of: string
  /** What a queue is sent, without what is particular to one message: `provision`, `delivery`. */
  messages: string[]
  /** Where in the Worker's source the call stands, and by what it was come to: the innermost few places. */
  site: string
}

/** Places that tell one call from another; further out stands what is common to all requests. */
const PLACES = 3

/** What a message is, as the consumer of the queues tells it. */
const kindOf = (body: object): string => ("job" in body ? String(body.job) : (Object.keys(body)[0] ?? ""))

function messagesOf([first]: unknown[]): string[] {
  const bodies = Array.isArray(first) ? first.map(({ body }) => body) : [first]
  return [...new Set(bodies.map(kindOf))]
}

function placeOfCall(): string {
  const frames = new Error("where").stack?.split("\n") ?? []
  const places = frames.flatMap((frame) => /\/(src\/[^?\s)]+)/.exec(frame)?.[1] ?? [])
  return places.slice(0, PLACES).join(" < ")
}

/**
 * Lets calls fail that a Worker makes beside its databases: to queues, objects, buckets, mail, and the network.
 * @param decide asked before each call
 * @returns undoes it
 */
export function failCalls(decide: (call: CallMade) => Fault): () => void {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  const around =
    (label: string) =>
    (real: Call): Call =>
    async (...args) => {
      const messages = label.includes("_QUEUE.") ? messagesOf(args) : []
      const fault = decide({ of: label, messages, site: placeOfCall() })
      if (fault === "before") throw new Error(`${label}: network connection lost`)
      const answer = await real(...args)
      if (fault === "after") throw new Error(`${label}: network connection lost`)
      return answer
    }
  const object =
    (label: string) =>
    (real: Call): Call =>
    (...args) => {
      const stub = real(...args) as DurableObjectStub
      return { fetch: around(label)((...sent) => stub.fetch(...(sent as Parameters<DurableObjectStub["fetch"]>))) }
    }
  const undo = [
    ...(["JOB_QUEUE", "WEBHOOK_QUEUE", "RETRY_QUEUE", "PUSH_QUEUE"] as const).flatMap((queue) =>
      ["send", "sendBatch"].map((name) => standIn(env[queue], name, around(`${queue}.${name}`))),
    ),
    ...(["MEDIA", "UPDATES"] as const).flatMap((bucket) =>
      ["put", "delete", "list", "get", "head", "createMultipartUpload"].map((name) =>
        standIn(env[bucket], name, around(`${bucket}.${name}`)),
      ),
    ),
    standIn(env.MAIL, "send", around("MAIL.send")),
    ...(["RATE_LIMIT", "ENDPOINT_FAILURES"] as const).map((name) => standIn(env[name], "get", object(name))),
    standIn(globalThis, "fetch", around("fetch")),
  ]
  return () => {
    Error.stackTraceLimit = limit
    for (const one of undo.reverse()) one()
  }
}
