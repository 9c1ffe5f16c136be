// Creates fixtures for tests of the content API: settings, users, tokens and devices of a site.
import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { vi } from "vitest"
import { siteSettings } from "../../src/db/schema/central/sites"
import { deviceTokens } from "../../src/db/schema/sites/devices"
import { userTokens } from "../../src/db/schema/sites/tokens"
import { users } from "../../src/db/schema/sites/users"
import { randomBase62, sha256 } from "../../src/lib/hash"
import { type CallOptions, call, consume, type TestResponse } from "./app"
import { hashPassword } from "./cheap-password"
import { nextSerial } from "./serial"

/** Calls the content API of a site: `content("GET", "/me", {token, host})`. The host defaults to the central site's. */
export const content = (method: string, path: string, options?: CallOptions): Promise<TestResponse> =>
  call(method, `/api/v1${path}`, options)

/** Returns the host of a store. */
export const hostOfStore = (id: string): string => `${id}.localhost`

/** Upserts a site's API settings. */
export async function makeSettings(siteId: string, overrides: Partial<typeof siteSettings.$inferInsert> = {}) {
  const values = {
    apiEnabled: true,
    keyRequired: false,
    emailVerification: false,
    updatedAt: new Date(),
    ...overrides,
    siteId,
  }
  await drizzle(env.DB)
    .insert(siteSettings)
    .values(values)
    .onConflictDoUpdate({ target: siteSettings.siteId, set: values })
}

export const PASSWORD = "secret-pass"
let cachedPasswordHash: Promise<string> | undefined

/** Creates a user of a site with a token. The password is PASSWORD. */
export async function makeUser(siteId = "central", overrides: Partial<typeof users.$inferInsert> = {}) {
  cachedPasswordHash ??= hashPassword(PASSWORD)
  const db = drizzle(env.SITES_1)
  const email = overrides.email ?? `user${nextSerial()}@example.com`
  const now = new Date()
  const [user] = await db
    .insert(users)
    .values({
      siteId,
      email,
      emailKey: email.toLowerCase(),
      firstName: "Ada",
      lastName: "Byron",
      passwordHash: await cachedPasswordHash,
      isStaff: false,
      emailVerifiedAt: null,
      createdAt: now,
      updatedAt: now,
      ...overrides,
    })
    .returning()
  if (!user) throw new Error("no user")
  return { ...user, token: await makeToken(user) }
}

/** Creates another token of a user. */
export async function makeToken(user: { id: number; siteId: string }): Promise<string> {
  const secret = randomBase62(48)
  const [token] = await drizzle(env.SITES_1)
    .insert(userTokens)
    .values({ siteId: user.siteId, userId: user.id, hash: await sha256(secret), createdAt: new Date() })
    .returning()
  return `${token?.id}|${secret}`
}

/** Records the mails that the Worker sends, in order. */
export function recordMails() {
  const mails: { to: string; subject: string; text: string; html: string; from: { name: string; email: string } }[] = []
  vi.mocked(env.MAIL.send).mockImplementation(async (mail: unknown) => {
    mails.push(mail as (typeof mails)[number])
    return { messageId: "test" }
  })
  return mails
}

/** Records the mails that the Worker sends, and runs the jobs that send account mails as soon as they are enqueued. */
export function captureMails() {
  vi.mocked(env.JOB_QUEUE.send).mockImplementation(async (message) => {
    if ("job" in message && message.job === "account_mails") await consume("tenancy-jobs", [message])
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  })
  return recordMails()
}

/** Returns the host, the path with query, and the token of the link in a mail. */
export function parseMailLink(mail: { text: string } | undefined) {
  const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? "")?.[0] ?? "http://no-link/")
  return { host: link.hostname, path: link.pathname + link.search, token: link.searchParams.get("token") ?? "" }
}

/** Creates an active device of a user. */
export async function makeDevice(
  user: { id: number; siteId: string },
  overrides: { platform?: "android" | "ios" } = {},
) {
  const now = new Date()
  await drizzle(env.SITES_1)
    .insert(deviceTokens)
    .values({
      siteId: user.siteId,
      userId: user.id,
      token: `device-${nextSerial()}`,
      platform: overrides.platform ?? null,
      isActive: true,
      lastUsedAt: now,
      createdAt: now,
      updatedAt: now,
    })
}
