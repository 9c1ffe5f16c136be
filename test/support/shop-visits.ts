// A shop with products, and a visitor's browser: it stores cookies, follows no redirects and sends forms.
import { call, platform, type TestResponse } from "./app"
import { content, hostOfStore, makeUser } from "./content-factories"
import { makeKey, makeReadyStore } from "./factories"
import { nextAddress } from "./serial"

interface ShopOptions {
  settings?: object
  apps?: readonly string[]
  theme?: string
}

/** Creates a store with a member of the staff and one product. */
export async function makeShop({ settings = {}, apps = ["ecommerce"], theme }: ShopOptions = {}) {
  const store = await makeReadyStore(theme ? { theme } : {})
  const host = hostOfStore(store)
  for (const app of apps) await platform("POST", `/stores/${store}/apps/${app}/enable`, { token: await makeKey() })
  const staff = await makeUser(store, { isStaff: true })
  const asStaff = (method: string, path: string, json?: object) =>
    content(method, path, { host, token: staff.token, ...(json && { json }) })
  await asStaff("PUT", "/shop/settings", settings)
  const makeProduct = async (fields: object = {}): Promise<number> =>
    (await asStaff("POST", "/products", { name: "Bowl", price_cents: 1000, currency: "EUR", stock: 9, ...fields })).body
      .data.id
  const disableApp = async (app: string) =>
    platform("POST", `/stores/${store}/apps/${app}/disable`, { token: await makeKey() })
  return { store, host, staff, asStaff, makeProduct, disableApp, visitor: () => createVisitor(host) }
}

export type Shop = Awaited<ReturnType<typeof makeShop>>

/** Creates a browser with its own network. */
function createVisitor(host: string, address = nextAddress()) {
  const cookies = new Map<string, string>()
  const send = async (method: string, path: string, body?: URLSearchParams, headers: Record<string, string> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await call(method, path, {
      host,
      headers: {
        "CF-Connecting-IP": address,
        ...(cookie && { Cookie: cookie }),
        ...(body && { "Content-Type": "application/x-www-form-urlencoded", Origin: `http://${host}` }),
        ...headers,
      },
      ...(body && { body: body.toString() }),
    })
    for (const change of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(change) ?? []
      if (change.includes("Max-Age=0")) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    get: (path: string, headers?: Record<string, string>) => send("GET", path, undefined, headers),
    post: (path: string, fields: Record<string, string>, headers?: Record<string, string>) =>
      send("POST", path, new URLSearchParams(fields), headers),
  }
}

/** Returns the values of a form's hidden fields. */
export const hiddenFields = ({ text }: TestResponse): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  )
