// Prepares write requests to a site: the preconditions of a write, and the function that sends it.
import type { TestResponse } from "./app"
import type { makeUser, recordMails } from "./content-factories"
import type { MediaClient } from "./media-factories"

export interface Site {
  store: string
  media: MediaClient
  send: (method: string, path: string, user: { token?: string }, json?: unknown) => Promise<TestResponse>
  /** Creates a user of the site with a confirmed address. */
  createUser: (overrides?: Parameters<typeof makeUser>[1]) => ReturnType<typeof makeUser>
  mails: ReturnType<typeof recordMails>
}

/** Creates the preconditions of a write, and returns a function that sends the write. */
export type PrepareWrite = (site: Site) => Promise<() => Promise<TestResponse>>

/** A write by a new user. */
export const userWrite =
  (
    write: (site: Site, user: Awaited<ReturnType<Site["createUser"]>>) => Promise<TestResponse>,
    overrides = {},
  ): PrepareWrite =>
  async (site) => {
    const user = await site.createUser(overrides)
    return () => write(site, user)
  }

/** A write by staff to a resource that was created first. */
export const resourceWrite =
  (
    path: string,
    json: (site: Site) => Promise<unknown>,
    write: (site: Site, resource: { id: number; user: { token: string } }) => Promise<TestResponse>,
  ): PrepareWrite =>
  async (site) => {
    const user = await site.createUser({ isStaff: true })
    const { body } = await site.send("POST", path, user, await json(site))
    return () => write(site, { id: body.data.id, user })
  }
