// Mocks Cloudflare's custom hostnames API as far as the Worker calls it, and a DNS resolver.
import { env } from "cloudflare:workers"
import { vi } from "vitest"

interface Hostname {
  id: string
  hostname: string
  status: string
  ssl: { status: string; method?: string; type?: string }
}

/** Settings that enable custom hostnames. */
export const ZONE = { CLOUDFLARE_ZONE_ID: "0123456789abcdef0123456789abcdef", CLOUDFLARE_API_TOKEN: "cf-token" }

/**
 * Handles every outbound request of the Worker.
 * @param txt TXT strings by name; may be filled while it runs
 */
export function mockCloudflare(txt: Record<string, string> = {}) {
  const zone = new Map<string, Hostname>()
  const calls: string[] = []
  const tokens = new Set<string | null>()
  /** Called before each call; `after` performs the call and loses the response. */
  let fail: (call: string) => Response | "after" | undefined | Promise<Response | "after" | undefined> = () => undefined

  const respond = (result: unknown) => Response.json({ success: true, errors: [], result })
  const respondError = (status: number, code: number, message: string) =>
    Response.json({ success: false, errors: [{ code, message }], result: null }, { status })

  const handle = (method: string, id: string, query: string | null, body: string): Response => {
    if (method === "POST") {
      const { hostname, ssl } = JSON.parse(body)
      if ([...zone.values()].some((hostnameRow) => hostnameRow.hostname === hostname))
        return respondError(409, 1406, "Duplicate custom hostname found.")
      const created = {
        id: `id-${zone.size + 1}-${hostname}`,
        hostname,
        status: "pending",
        ssl: { ...ssl, status: "initializing" },
      }
      zone.set(created.id, created)
      return respond(created)
    }
    if (!id) return respond([...zone.values()].filter(({ hostname }) => hostname === query))
    const hostnameRow = zone.get(id)
    if (!hostnameRow) return respondError(404, 1436, "The custom hostname was not found.")
    if (method === "DELETE") zone.delete(id)
    return respond(method === "DELETE" ? { id } : hostnameRow)
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
    const failure = await fail(call)
    if (failure instanceof Response) return failure
    const created = handle(request.method, path.slice(1), url.searchParams.get("hostname"), await request.text())
    if (failure === "after") throw new Error("Network connection lost.")
    return created
  })

  return {
    txt,
    calls,
    tokens,
    listHostnames: () => [...zone.values()].map(({ hostname }) => hostname),
    findHostname: (name: string) => [...zone.values()].find(({ hostname }) => hostname === name),
    issueCertificate: (name: string) => {
      for (const hostnameRow of zone.values()) {
        if (hostnameRow.hostname === name)
          Object.assign(hostnameRow, { status: "active", ssl: { ...hostnameRow.ssl, status: "active" } })
      }
    },
    failWith: (next: typeof fail) => {
      fail = next
    },
  }
}
