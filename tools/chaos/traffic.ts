// Generates realistic traffic: every API, the console, and a shop with its visitors and its owner's admin, with more
// reads than writes.
import type { HttpResponse, RequestOptions, Server } from "./server.ts"

interface RequestKind {
  name: string
  /** Relative frequency. */
  weight: number
  ask: (turn: number) => [path: string, asked?: RequestOptions]
  /** Takes what a later request needs from the response. */
  read?: (response: HttpResponse) => void
}

const bearer = (token = "") => ({ Authorization: `Bearer ${token}` })

/** The demo shop that people buy from; the credentials are those of its owner. */
const SHOP_HOST = "acme.localhost"

const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" }

interface Login {
  email: string
  password: string
}

/**
 * Signs in through a form.
 * @returns the session cookie
 */
async function logIn(server: Server, path: string, login: Login | undefined, host?: string): Promise<string> {
  const { email = "", password = "" } = login ?? {}
  const response = await server.request(path, { method: "POST", host, headers: SAME_ORIGIN, form: { email, password } })
  const [cookie = ""] = [response.headers["set-cookie"] ?? []].flat()
  if (response.status !== 303 || !cookie) throw new Error(`${path} returned ${response.status}`)
  return cookie.split(";")[0] ?? ""
}

/** Puts a product without a stock limit on sale, which the traffic can order forever. */
async function createProduct(server: Server): Promise<{ id: number; slug: string }> {
  const { email = "", password = "" } = server.credentials.owner ?? {}
  const login = await server.request("/api/v1/login", { method: "POST", host: SHOP_HOST, json: { email, password } })
  const { status, body } = await server.request("/api/v1/products", {
    method: "POST",
    host: SHOP_HOST,
    headers: bearer(login.body.data?.token),
    json: { name: "Egg cup", price_cents: PRODUCT_CENTS, currency: "EUR", status: "published" },
  })
  if (status !== 201) throw new Error(`The product was answered ${status} ${JSON.stringify(body)}`)
  return body.data
}

const PRODUCT_CENTS = 900

const GUEST = { name: "Ada Park", line1: "1 Mill Lane", city: "Leeds", country: "United Kingdom" }

/**
 * Builds the kinds of requests for a platform with demo data.
 * @throws Error when a login fails
 */
export async function createTraffic(server: Server): Promise<RequestKind[]> {
  const { platform, content, licenses } = server.credentials
  const key = bearer(platform?.write_key)
  const cookie = await logIn(server, "/console/login", server.credentials.operator)
  const adminCookie = await logIn(server, "/admin/login", server.credentials.owner, SHOP_HOST)
  const product = await createProduct(server)
  // A visitor may only have a few unpaid orders, so the owner marks them as paid.
  let unpaid: string[] = []
  const cart = `${product.id}-1-${PRODUCT_CENTS}`
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
  const shopPaths = [
    "/",
    `/products/${product.slug}`,
    "/products",
    "/search?q=cup",
    "/cart",
    "/contact",
    "/sitemap.xml",
  ]
  const adminPaths = [
    "",
    "/products",
    `/products/${product.id}/edit`,
    "/orders",
    "/customers",
    "/messages",
    "/reviews",
    "/posts",
    "/media",
    "/staff",
    "/settings",
    "/activity",
  ]
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
    {
      name: "shop",
      weight: 8,
      ask: (turn) => [pick(shopPaths, turn), { host: SHOP_HOST, headers: { Cookie: `cart=${cart}` } }],
    },
    {
      name: "shop, order",
      weight: 1,
      ask: (turn) => [
        "/checkout",
        {
          method: "POST",
          host: SHOP_HOST,
          headers: SAME_ORIGIN,
          form: { ...GUEST, email: `guest-${turn}@example.com`, cart, payment_method: "transfer" },
        },
      ],
    },
    {
      name: "admin",
      weight: 6,
      ask: (turn) => [`/admin${pick(adminPaths, turn)}`, { host: SHOP_HOST, headers: { Cookie: adminCookie } }],
    },
    {
      name: "admin, unpaid orders",
      weight: 1,
      ask: () => ["/admin/orders?status=pending", { host: SHOP_HOST, headers: { Cookie: adminCookie } }],
      read: ({ body }) => {
        unpaid = Array.from(String(body).matchAll(/"\/admin\/orders\/(\d+)/g), ([, id]) => id ?? "")
      },
    },
    {
      name: "admin, order paid",
      weight: 2,
      ask: () => [
        `/admin/orders/${unpaid.pop() ?? 0}/edit`,
        {
          method: "POST",
          host: SHOP_HOST,
          headers: { ...SAME_ORIGIN, Cookie: adminCookie },
          form: { status: "paid" },
        },
      ],
    },
    {
      name: "admin, settings",
      weight: 1,
      ask: (turn) => [
        "/admin/settings",
        {
          method: "POST",
          host: SHOP_HOST,
          headers: { ...SAME_ORIGIN, Cookie: adminCookie },
          form: { address: `${turn} Kiln Road` },
        },
      ],
    },
    { name: "API reference", weight: 2, ask: (turn) => [pick(["/docs", "/openapi/platform.json", "/llms.txt"], turn)] },
    { name: "health", weight: 1, ask: () => ["/api/health-check"] },
  ]
}
