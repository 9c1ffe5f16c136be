// What tests of the content API are made of: sites and the plans of their stores, settings, keys, users.
import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { siteSettings } from "../../src/db/schema/central/sites"
import { type Answer, type CallOptions, call } from "./app"

/** The content API of a site: `content("GET", "/me", {token, host})`; the central site's unless a host is given. */
export const content = (method: string, path: string, options?: CallOptions): Promise<Answer> =>
  call(method, `/api/v1${path}`, options)

/** The host of a store. */
export const hostOfStore = (id: string): string => `${id}.localhost`

/** Sets up a site's API; what is not given has its default. */
export async function makeSettings(siteId: string, given: Partial<typeof siteSettings.$inferInsert> = {}) {
  const values = {
    apiEnabled: true,
    keyRequired: false,
    emailVerification: false,
    updatedAt: new Date(),
    ...given,
    siteId,
  }
  await drizzle(env.DB)
    .insert(siteSettings)
    .values(values)
    .onConflictDoUpdate({ target: siteSettings.siteId, set: values })
}
