// Opens support access as an operator does: creates a link in the console and follows it at the store.
import { signIn } from "../console/support"
import { call } from "./app"

/** Creates a support link and returns its path on the store's host. */
export async function openSupportLink(store: string): Promise<string> {
  const admin = await signIn({ name: "Ada" })
  const { text } = await admin.post(`/console/stores/${store}/support`, { reason: "The order page is empty" })
  return /href="https?:\/\/[^"]+(\/billing\/support\?token=[^"]+)"/.exec(text)?.[1] ?? ""
}

/** Follows a support link; the cookie is empty when the link is refused. */
export async function followSupportLink(store: string, link: string) {
  const response = await call("GET", link, { host: `${store}.localhost` })
  const cookie = response.headers.get("Set-Cookie")?.split(";")[0] ?? ""
  return { response, cookie, token: decodeURIComponent(cookie.split("=")[1] ?? "") }
}

/** Logs in to a store with support access. Returns the cookie and the same value as a bearer token. */
export async function openSupportLogin(store: string): Promise<{ cookie: string; token: string }> {
  const { response, cookie, token } = await followSupportLink(store, await openSupportLink(store))
  if (!token) throw new Error(`The support link returned ${response.status}`)
  return { cookie, token }
}
