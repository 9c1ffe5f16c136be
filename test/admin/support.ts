// Sends requests to the admin of a store as a browser does: with a session cookie, and forms from the admin's own pages.
import type { StaffRole } from "../../src/db/schema/sites/users"
import { createBrowser, getCookie, postForm } from "../console/support"
import type { CallOptions, TestResponse } from "../support/app"
import { hostOfStore, makeUser, PASSWORD } from "../support/content-factories"

export type Fields = Record<string, string | string[]>

export interface AdminBrowser {
  cookie: string
  host: string
  user: Awaited<ReturnType<typeof makeUser>>
  get(path: string, options?: CallOptions): Promise<TestResponse>
  post(path: string, fields?: Fields, options?: CallOptions): Promise<TestResponse>
}

/** Posts the sign-in form of a store's admin. */
export const postLogin = (store: string, fields: Fields, options: CallOptions = {}): Promise<TestResponse> =>
  postForm("/admin/login", fields, { host: hostOfStore(store), ...options })

/** Creates a member of a store's staff and signs them in. */
export async function signInToAdmin(store: string, role: StaffRole = "owner"): Promise<AdminBrowser> {
  const user = await makeUser(store, { isStaff: true, role, emailVerifiedAt: new Date() })
  const cookie = getCookie(await postLogin(store, { email: user.email, password: PASSWORD }))
  return { user, ...createAdminBrowser(store, cookie) }
}

/** Creates a browser of a store's admin with a cookie. */
export function createAdminBrowser(store: string, cookie: string): Omit<AdminBrowser, "user"> {
  const host = hostOfStore(store)
  const browser = createBrowser(cookie)
  return {
    cookie,
    host,
    get: (path, options = {}) => browser.get(path, { host, ...options }),
    post: (path, fields, options = {}) => browser.post(path, fields, { host, ...options }),
  }
}
