// The API client that the sections of the seed share.
import { createHmac } from "node:crypto"
import { type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { ApiError, callApi } from "../lib/api.ts"
import type { Credentials } from "../local/credentials.ts"

/** Creates one kind of demo data through the APIs and returns its credentials. */
export type Section = (seeder: Seeder) => Promise<Partial<Credentials>>

/** The simulated environment of past.ts. */
interface Story {
  now: string | null
  receivers: Record<string, number>
  records: Record<string, string>
  down: string[]
}

/** A call of a store's content API. */
interface StoreCall {
  /** The store's API key. */
  key: string
  body?: object | undefined
  /** The bearer token of a user; empty for a visitor. */
  token?: string
}

/** Loads a page, or sends a form to it. */
export type Browser = (path: string, form?: Record<string, string>) => Promise<{ location: string; html: string }>

export interface Seeder {
  /** Runs an operator command and returns its data. */
  operator<Data = unknown>(command: string, options?: object): Promise<Data>
  /** Calls the control plane with the seed's own key, so that the demo keys are unused. */
  platform<Data = unknown>(method: string, path: string, body?: object): Promise<Data>
  /** Calls the license manager's internal API; a FormData can contain files. */
  licenses<Data = unknown>(key: string, method: string, path: string, body?: object): Promise<Data>
  /** Calls the content API of the central site, anonymously or with a session token. */
  content<Data = unknown>(method: string, path: string, body?: object, token?: string): Promise<Data>
  /** Calls the content API of a store on its own host. */
  store<Data = unknown>(site: string, method: string, path: string, options: StoreCall): Promise<Data>
  /** Creates a browser for the pages of a store. It stores cookies, sends forms and follows no redirects. */
  browse(site: string): Browser
  /** Updates the simulated environment: clock, receivers, DNS, outages. */
  setStory(change: Partial<Story>): Promise<void>
  /** Runs a cron schedule at a given time. */
  runCron(schedule: string, at: string): Promise<void>
  /** Calls an API with a key in `X-API-KEY`; returns the response body, also for an error. */
  asClient<Answer = unknown>(key: string, path: string, body: object, headers?: Record<string, string>): Promise<Answer>
  /** Submits console forms as an operator. */
  console(
    operator: { email: string; password: string },
    forms: [path: string, fields: Record<string, string>][],
  ): Promise<void>
  /** Derives a password that is stable on this machine and different on every other. */
  password(purpose: string): string
}

/**
 * Creates a client for the seed.
 * @param base URL of the Worker
 * @param operatorToken its `OPERATOR_TOKEN`
 * @param platformKey a write key of the control plane
 */
export function createSeeder(base: string, operatorToken: string, platformKey: string): Seeder {
  return {
    operator: (command, options = {}) => callApi(base, operatorToken, "POST", `/api/operator/v1/${command}`, options),
    platform: (method, path, body) => callApi(base, platformKey, method, `/api/platform/v1${path}`, body),
    licenses: (key, method, path, body) => callApi(base, key, method, `/api/internal${path}`, body),
    content: (method, path, body, token = "") => callApi(base, token, method, `/api/v1${path}`, body),
    store: (site, method, path, options) => callStore(new URL(base), site, method, path, options),
    browse: (site) => createBrowser(new URL(base), site),
    setStory: async (change) => {
      const { status } = await fetch(`${base}/__story`, { method: "PUT", body: JSON.stringify(change) })
      if (status !== 204) throw new Error(`Updating the story returned status ${status}.`)
    },
    runCron: async (schedule, at) => {
      const question = new URLSearchParams({ cron: schedule, time: String(Date.parse(at)) })
      const response = await fetch(`${base}/cdn-cgi/local/scheduled?${question}`)
      await response.body?.cancel()
      if (!response.ok) throw new Error(`The cron "${schedule}" failed with ${response.status}.`)
    },
    asClient: async (key, path, body, headers = {}) => {
      const isForm = body instanceof FormData
      const type: Record<string, string> = isForm ? {} : { "Content-Type": "application/json" }
      const response = await fetch(new URL(path, base), {
        method: "POST",
        headers: { "X-API-KEY": key, ...type, ...headers },
        body: isForm ? body : JSON.stringify(body),
      })
      return (await response.json()) as never
    },
    console: async (operator, forms) => {
      const send = async (path: string, fields: Record<string, string>, cookie = "") => {
        const headers = { Origin: base, Cookie: cookie }
        const body = new URLSearchParams(fields)
        const response = await fetch(`${base}/console/${path}`, { method: "POST", headers, body, redirect: "manual" })
        await response.body?.cancel()
        if (response.status !== 303) throw new Error(`The console returned status ${response.status} for /${path}.`)
        return response.headers.getSetCookie()[0]?.split(";")[0] ?? ""
      }
      const session = await send("login", operator)
      for (const [path, fields] of forms) await send(path, fields, session)
      await send("logout", {}, session)
    },
    password: (purpose) =>
      createHmac("sha256", operatorToken).update(`seed:${purpose}`).digest("base64url").slice(0, 16),
  }
}

/** Calls the content API of a store. */
async function callStore<Data>(
  base: URL,
  site: string,
  method: string,
  path: string,
  { key, body, token }: StoreCall,
): Promise<Data> {
  const encoded = new Response(body instanceof FormData ? body : body && JSON.stringify(body))
  const headers = {
    Accept: "application/json",
    "Content-Type": body instanceof FormData ? (encoded.headers.get("Content-Type") ?? "") : "application/json",
    "X-API-KEY": key,
    ...(token && { Authorization: `Bearer ${token}` }),
  }
  const { response, content } = await sendToStore(base, site, {
    method,
    path: `/api/v1${path}`,
    headers,
    body: body && new Uint8Array(await encoded.arrayBuffer()),
  })
  const result = JSON.parse(content)
  const status = response.statusCode ?? 0
  // The media library responds without an envelope.
  if (status < 300) return result.data ?? result
  throw new ApiError(status, result.code ?? "http_error", `${method} ${path}: ${result.message}`, {})
}

function createBrowser(base: URL, site: string): Browser {
  const cookies = new Map<string, string>()
  return async (path, form) => {
    const { response, content } = await sendToStore(base, site, {
      method: form ? "POST" : "GET",
      path,
      headers: {
        Cookie: [...cookies].map((cookie) => cookie.join("=")).join("; "),
        ...(form && {
          Origin: `http://${site}.${base.host}`,
          "Sec-Fetch-Site": "same-origin",
          "Content-Type": "application/x-www-form-urlencoded",
        }),
      },
      body: form && new URLSearchParams(form).toString(),
    })
    for (const cookie of response.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const status = response.statusCode ?? 0
    if (status !== (form ? 303 : 200)) throw new Error(`The store ${site} returned status ${status} for ${path}.`)
    return { location: response.headers.location ?? "", html: content }
  }
}

/** Sends a request to a store's host, which resolvers may not know. `fetch` cannot set the header `Host`. */
const sendToStore = (
  { hostname, host, port }: URL,
  site: string,
  {
    body,
    headers,
    ...target
  }: { method: string; path: string; headers: Record<string, string>; body?: string | Uint8Array | undefined },
) =>
  new Promise<{ response: IncomingMessage; content: string }>((resolve, reject) => {
    const sent = { ...headers, Host: `${site}.${host}` }
    const outgoing = request({ hostname, port, ...target, headers: sent }, (response) => {
      text(response).then((content) => resolve({ response, content }), reject)
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })

/**
 * Ignores an error that means that an earlier run already did this.
 * @param isDone checks for such an error
 */
export async function ignoreIfDone(isDone: (refusal: ApiError) => boolean, work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof ApiError && isDone(error))) throw error
  })
}
