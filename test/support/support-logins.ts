// Support access as an operator opens it: a link from the console, followed at the store.
import { signIn } from "../console/support"
import { call } from "./app"

/** The path of a new support link to a store, on the store's host. */
export async function openSupportLink(store: string): Promise<string> {
  const admin = await signIn({ name: "Ada" })
  const { text } = await admin.post(`/console/stores/${store}/support`, { reason: "The order page is empty" })
  return /href="https?:\/\/[^"]+(\/billing\/support\?token=[^"]+)"/.exec(text)?.[1] ?? ""
}

/** Follows a support link; the cookie is empty when the link is refused. */
export async function followSupportLink(store: string, link: string) {
  const answer = await call("GET", link, { host: `${store}.localhost` })
  const cookie = answer.headers.get("Set-Cookie")?.split(";")[0] ?? ""
  return { answer, cookie, token: decodeURIComponent(cookie.split("=")[1] ?? "") }
}

/** A support login at a store: its cookie, and the same as a bearer token. */
export async function openSupportLogin(store: string): Promise<{ cookie: string; token: string }> {
  const { answer, cookie, token } = await followSupportLink(store, await openSupportLink(store))
  if (!token) throw new Error(`The support link answered ${answer.status}`)
  return { cookie, token }
}
