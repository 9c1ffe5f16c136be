// What tests of the content API are made of: sites and the plans of their stores, settings, keys, users.
import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { vi } from "vitest"
import { siteSettings } from "../../src/db/schema/central/sites"
import { deviceTokens } from "../../src/db/schema/sites/devices"
import { userTokens } from "../../src/db/schema/sites/tokens"
import { users } from "../../src/db/schema/sites/users"
import { randomBase62, sha256 } from "../../src/lib/hash"
import { hashPassword } from "../../src/lib/password"
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

export const PASSWORD = "secret-pass"
let passwordHash: Promise<string> | undefined

let serial = 0

/** A user of a site, and a token of theirs. The password is PASSWORD. */
export async function makeUser(siteId = "central", given: Partial<typeof users.$inferInsert> = {}) {
  passwordHash ??= hashPassword(PASSWORD)
  const db = drizzle(env.SITES_1)
  const email = given.email ?? `user${++serial}@example.com`
  const now = new Date()
  const [user] = await db
    .insert(users)
    .values({
      siteId,
      email,
      emailKey: email.toLowerCase(),
      firstName: "Ada",
      lastName: "Byron",
      passwordHash: await passwordHash,
      isStaff: false,
      emailVerifiedAt: null,
      createdAt: now,
      updatedAt: now,
      ...given,
    })
    .returning()
  if (!user) throw new Error("no user")
  return { ...user, token: await makeToken(user) }
}

/** One more token of a user. */
export async function makeToken(user: { id: number; siteId: string }): Promise<string> {
  const secret = randomBase62(48)
  const [token] = await drizzle(env.SITES_1)
    .insert(userTokens)
    .values({ siteId: user.siteId, userId: user.id, hash: await sha256(secret), createdAt: new Date() })
    .returning()
  return `${token?.id}|${secret}`
}

/** Takes what the Worker mails, in order. */
export function takeMail() {
  const mails: { to: string; subject: string; text: string; html: string; from: { name: string; email: string } }[] = []
  vi.mocked(env.MAIL.send).mockImplementation(async (mail: unknown) => {
    mails.push(mail as (typeof mails)[number])
    return { messageId: "test" }
  })
  return mails
}

/** The link in a mail, as path and query, and its token. */
export function linkIn(mail: { text: string } | undefined) {
  const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? "")?.[0] ?? "http://no-link/")
  return { host: link.hostname, path: link.pathname + link.search, token: link.searchParams.get("token") ?? "" }
}

/** An active device of a user. */
export async function makeDevice(user: { id: number; siteId: string }, given: { platform?: "android" | "ios" } = {}) {
  const now = new Date()
  await drizzle(env.SITES_1)
    .insert(deviceTokens)
    .values({
      siteId: user.siteId,
      userId: user.id,
      token: `device-${++serial}`,
      platform: given.platform ?? null,
      isActive: true,
      lastUsedAt: now,
      createdAt: now,
      updatedAt: now,
    })
}
