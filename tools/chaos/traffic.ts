// Generates realistic traffic: every API, the storefront and the console, with more reads than writes.
import type { RequestOptions, Server } from "./server.ts"

interface RequestKind {
  name: string
  /** Relative frequency. */
  weight: number
  ask: (turn: number) => [path: string, asked?: RequestOptions]
}

const bearer = (token = "") => ({ Authorization: `Bearer ${token}` })

/** Signs in to the console. */
async function logInToConsole(server: Server): Promise<string> {
  const { email = "", password = "" } = server.credentials.operator ?? {}
  const headers = { "Sec-Fetch-Site": "same-origin" }
  const answer = await server.request("/console/login", { method: "POST", headers, form: { email, password } })
  const [cookie = ""] = [answer.headers["set-cookie"] ?? []].flat()
  if (answer.status !== 303 || !cookie) throw new Error(`the console login returned ${answer.status}`)
  return cookie.split(";")[0] ?? ""
}

/**
 * Builds the kinds of requests for a platform with demo data.
 * @throws Error when a login fails
 */
export async function createTraffic(server: Server): Promise<RequestKind[]> {
  const { platform, content, licenses } = server.credentials
  const key = bearer(platform?.write_key)
  const cookie = await logInToConsole(server)
  const stores = await server.request("/api/platform/v1/stores?status=ready", { headers: key })
  const store: string = stores.body.data.at(-1)?.id ?? ""
  const host = `${store}.localhost`
  const { email = "", password = "" } = content?.user ?? {}
  const login = await server.request("/api/v1/login", { method: "POST", json: { email, password } })
  const user = bearer(login.body.data?.token)
  const posts = await server.request("/api/v1/posts")
  const post: string = posts.body.data?.[0]?.slug ?? "none"
  const tag = String(posts.headers.etag ?? "")
  const vendor = { "X-API-KEY": licenses?.internal_key ?? "" }
  const client = {
    "X-API-KEY": licenses?.external_key ?? "",
    "X-API-URL": "https://soak.example",
    "X-API-IP": "203.0.113.9",
  }
  const named = { product_id: licenses?.product_id, license_code: licenses?.license_code }
  const consolePaths = [
    "",
    "/stores",
    `/stores/${store}`,
    "/orders",
    "/audit",
    "/deliveries",
    "/webhooks",
    "/plans",
    "/keys",
    "/licenses",
    "/system",
    "/search?q=a",
  ]
  const storefrontPaths = ["/", "/blog", "/products", "/pages"]
  const pick = <T>(list: readonly T[], turn: number): T => list[turn % list.length] as T
  return [
    { name: "storefront", weight: 20, ask: (turn) => [pick(storefrontPaths, turn), { host }] },
    { name: "storefront, unknown path", weight: 2, ask: (turn) => [`/blog/none-${turn}`, { host }] },
    { name: "posts", weight: 15, ask: () => ["/api/v1/posts?include=categories,tags"] },
    { name: "posts, not modified", weight: 10, ask: () => ["/api/v1/posts", { headers: { "If-None-Match": tag } }] },
    { name: "post", weight: 10, ask: () => [`/api/v1/posts/${post}`] },
    { name: "posts, search", weight: 3, ask: (turn) => [`/api/v1/posts?search=word${turn}`] },
    { name: "me", weight: 6, ask: () => ["/api/v1/me", { headers: user }] },
    { name: "notifications", weight: 4, ask: () => ["/api/v1/notifications", { headers: user }] },
    {
      name: "settings, update",
      weight: 2,
      ask: (turn) => [
        "/api/v1/settings",
        { method: "PUT", headers: user, json: { theme: turn % 2 ? "dark" : "light" } },
      ],
    },
    { name: "invalid token", weight: 2, ask: () => ["/api/v1/me", { headers: bearer(`1|${"a".repeat(48)}`) }] },
    {
      name: "stores",
      weight: 8,
      ask: (turn) => [`/api/platform/v1/stores?page=${(turn % 3) + 1}&per_page=10&include=usage`, { headers: key }],
    },
    { name: "store", weight: 8, ask: () => [`/api/platform/v1/stores/${store}`, { headers: key }] },
    { name: "stores, search", weight: 3, ask: () => ["/api/platform/v1/stores?q=a", { headers: key }] },
    { name: "event log", weight: 2, ask: () => ["/api/platform/v1/events?limit=30", { headers: key }] },
    {
      name: "license, check",
      weight: 5,
      ask: () => ["/api/external/license/check", { method: "POST", headers: client, json: named }],
    },
    { name: "licenses", weight: 2, ask: () => ["/api/internal/product-licenses", { headers: vendor }] },
    {
      name: "console",
      weight: 8,
      ask: (turn) => [`/console${pick(consolePaths, turn)}`, { headers: { Cookie: cookie } }],
    },
    { name: "API reference", weight: 2, ask: (turn) => [pick(["/docs", "/openapi/platform.json", "/llms.txt"], turn)] },
    { name: "health", weight: 1, ask: () => ["/api/health-check"] },
  ]
}
