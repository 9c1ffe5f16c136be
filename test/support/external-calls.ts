// Intercepts the Worker's calls to queues, Durable Objects, buckets, mail and the network, to record them or to make
// one fail.

import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { getCallSite } from "./call-site"
import type { Fault } from "./faults"
import { pauseFaults } from "./test-faults"

type Call = (...args: unknown[]) => unknown

/** Wraps a method, which may already be a mock, and returns a function that restores it. */
function replaceMethod(target: object, name: string, wrap: (real: Call) => Call): () => void {
  const methods = target as Record<string, Call>
  const current = methods[name] as Call
  // On RPC stubs every property access, `bind` included, is a remote call, so the method is only applied.
  const bindToTarget =
    (method: Call): Call =>
    (...args) =>
      Reflect.apply(method, target, args)
  if (vi.isMockFunction(current)) {
    const before = current.getMockImplementation() ?? (async () => undefined)
    current.mockImplementation(wrap(bindToTarget(before)))
    return () => void current.mockImplementation(before)
  }
  const spy = vi.spyOn(methods, name).mockImplementation(wrap(bindToTarget(current)))
  return () => spy.mockRestore()
}

/** A call to a service other than the databases. */
export interface ExternalCall {
  /** The called method, such as `JOB_QUEUE.send`. */
  target: string
  /** The kinds of the messages sent to a queue, such as `provision` or `delivery`. */
  messageKinds: string[]
  /** The innermost stack frames in the Worker's source. */
  callSite: string
}

/** Returns the kind of a message by the same rule as the queue consumer. */
const getMessageKind = (body: object): string => ("job" in body ? String(body.job) : (Object.keys(body)[0] ?? ""))

function listMessageKinds([first]: unknown[]): string[] {
  const bodies = Array.isArray(first) ? first.map(({ body }) => body) : [first]
  return [...new Set(bodies.map(getMessageKind))]
}

/**
 * Makes calls to queues, Durable Objects, buckets, mail and the network fail.
 * @param decide called before each call
 * @returns a function that restores the originals
 */
export function failCalls(decide: (call: ExternalCall) => Fault): () => void {
  pauseFaults()
  const wrapCall =
    (label: string) =>
    (real: Call): Call =>
    async (...args) => {
      const messageKinds = label.includes("_QUEUE.") ? listMessageKinds(args) : []
      const fault = decide({ target: label, messageKinds, callSite: getCallSite() })
      if (fault === "before") throw new Error(`${label}: network connection lost`)
      const result = await real(...args)
      if (fault === "after") throw new Error(`${label}: network connection lost`)
      return result
    }
  const wrapNamespace =
    (label: string) =>
    (real: Call): Call =>
    (...args) => {
      const stub = real(...args) as DurableObjectStub
      return { fetch: wrapCall(label)((...sent) => stub.fetch(...(sent as Parameters<DurableObjectStub["fetch"]>))) }
    }
  const restores = [
    ...(["JOB_QUEUE", "SLOW_JOB_QUEUE", "WEBHOOK_QUEUE", "RETRY_QUEUE", "PUSH_QUEUE"] as const).flatMap((queue) =>
      ["send", "sendBatch"].map((name) => replaceMethod(env[queue], name, wrapCall(`${queue}.${name}`))),
    ),
    ...(["MEDIA", "UPDATES", "BACKUPS", "ARCHIVE"] as const).flatMap((bucket) =>
      ["put", "delete", "list", "get", "head", "createMultipartUpload"].map((name) =>
        replaceMethod(env[bucket], name, wrapCall(`${bucket}.${name}`)),
      ),
    ),
    replaceMethod(env.MAIL, "send", wrapCall("MAIL.send")),
    ...(["RATE_LIMIT", "ENDPOINT_FAILURES"] as const).map((name) =>
      replaceMethod(env[name], "get", wrapNamespace(name)),
    ),
    replaceMethod(globalThis, "fetch", wrapCall("fetch")),
  ]
  return () => {
    for (const restore of restores.reverse()) restore()
  }
}
