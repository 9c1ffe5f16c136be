// Cloudflare's API of custom hostnames, as far as the Worker calls it, and a DNS that proves every domain it is told of.
import { env } from "cloudflare:workers"
import { vi } from "vitest"

interface Hostname {
  id: string
  hostname: string
  status: string
  ssl: { status: string; method?: string; type?: string }
}

/** Settings under which the platform makes custom hostnames. */
export const ZONE = { CLOUDFLARE_ZONE_ID: "0123456789abcdef0123456789abcdef", CLOUDFLARE_API_TOKEN: "cf-token" }

/**
 * Takes every outbound request of the Worker.
 * @param txt names to their TXT strings, which may be filled while it runs
 */
export function cloudflare(txt: Record<string, string> = {}) {
  const zone = new Map<string, Hostname>()
  const calls: string[] = []
  const tokens = new Set<string | null>()
  /** Asked before each call is done; `after` does it and loses the answer. */
  let fault: (call: string) => Response | "after" | undefined | Promise<Response | "after" | undefined> = () =>
    undefined

  const answer = (result: unknown) => Response.json({ success: true, errors: [], result })
  const refuse = (status: number, code: number, message: string) =>
    Response.json({ success: false, errors: [{ code, message }], result: null }, { status })

  const done = (method: string, id: string, query: string | null, body: string): Response => {
    if (method === "POST") {
      const { hostname, ssl } = JSON.parse(body)
      if ([...zone.values()].some((known) => known.hostname === hostname))
        return refuse(409, 1406, "Duplicate custom hostname found.")
      const made = {
        id: `id-${zone.size + 1}-${hostname}`,
        hostname,
        status: "pending",
        ssl: { ...ssl, status: "initializing" },
      }
      zone.set(made.id, made)
      return answer(made)
    }
    if (!id) return answer([...zone.values()].filter(({ hostname }) => hostname === query))
    const known = zone.get(id)
    if (!known) return refuse(404, 1436, "The custom hostname was not found.")
    if (method === "DELETE") zone.delete(id)
    return answer(method === "DELETE" ? { id } : known)
  }

  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    const url = new URL(request.url)
    if (request.url.startsWith(env.DNS_RESOLVER_URL)) {
      const name = url.searchParams.get("name") ?? ""
      const text = txt[name]
      return Response.json(text ? { Status: 0, Answer: [{ name, type: 16, data: `"${text}"` }] } : { Status: 3 })
    }
    const path = url.pathname.replace(`/client/v4/zones/${ZONE.CLOUDFLARE_ZONE_ID}/custom_hostnames`, "")
    const call = `${request.method} ${path}${url.search}`
    calls.push(call)
    tokens.add(request.headers.get("Authorization"))
    const given = await fault(call)
    if (given instanceof Response) return given
    const made = done(request.method, path.slice(1), url.searchParams.get("hostname"), await request.text())
    if (given === "after") throw new Error("Network connection lost.")
    return made
  })

  return {
    txt,
    calls,
    tokens,
    names: () => [...zone.values()].map(({ hostname }) => hostname),
    hostname: (name: string) => [...zone.values()].find(({ hostname }) => hostname === name),
    issue: (name: string) => {
      for (const known of zone.values()) {
        if (known.hostname === name) Object.assign(known, { status: "active", ssl: { ...known.ssl, status: "active" } })
      }
    },
    failing: (next: typeof fault) => {
      fault = next
    },
  }
}
