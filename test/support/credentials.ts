// Creates every kind of credential, valid, expired, revoked and forged, and the headers that present one.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { RateLimitBucket } from "../../durable/rate-limit-bucket"
import { call } from "./app"
import { hostOfStore, makeUser } from "./content-factories"
import { makeKey, makeReadyStore } from "./factories"
import { makeServerKey, makeSiteKey } from "./key-factories"
import { makeLicenseKey } from "./license-factories"

/** What a credential gives access to. */
type CredentialKind =
  | "invalid"
  | "platform-read"
  | "platform"
  | "operator"
  | "license-external"
  | "license-internal"
  | "site-key"
  | "user"
  | "staff"

export interface Credential {
  name: string
  kind: CredentialKind
  /** The site, for credentials of a site. */
  site?: string
  value: string
}

/** Creates two stores and every kind of credential for them. */
export async function makeAllCredentials() {
  const [store, otherStore] = [await makeReadyStore(), await makeReadyStore()]
  const user = await makeUser(store)
  const loggedOut = await makeUser(store)
  await call("GET", "/api/v1/logout", { host: hostOfStore(store), token: loggedOut.token })
  const revoked = await makeLicenseKey("external")
  const expired = await makeLicenseKey("internal")
  const { results } = await env.DB.prepare("select id from license_keys order by id").all<{ id: number }>()
  await env.DB.prepare("update license_keys set revoked_at = 1 where id = ?").bind(results.at(-2)?.id).run()
  await env.DB.prepare("update license_keys set expires_at = 1 where id = ?").bind(results.at(-1)?.id).run()
  const credentials: Credential[] = [
    { name: "a forged platform key", kind: "invalid", value: `tnk_${"a".repeat(8)}_${"a".repeat(40)}` },
    { name: "a forged user token", kind: "invalid", value: `1|${"a".repeat(48)}` },
    { name: "a forged server token", kind: "invalid", value: `tns_${"a".repeat(8)}_${"a".repeat(40)}` },
    { name: "nonsense", kind: "invalid", value: "null" },
    { name: "a SQL condition", kind: "invalid", value: "' or 1=1 --" },
    {
      name: "an expired platform key",
      kind: "invalid",
      value: await makeKey({ expires: new Date(Date.now() - 1000) }),
    },
    { name: "a revoked platform key", kind: "invalid", value: await makeKey({ revoked: true }) },
    { name: "a read-only platform key", kind: "platform-read", value: await makeKey({ scopes: ["read"] }) },
    { name: "a platform key", kind: "platform", value: await makeKey() },
    { name: "the operator's token", kind: "operator", value: env.OPERATOR_TOKEN as string },
    { name: "an external license key", kind: "license-external", value: await makeLicenseKey("external") },
    { name: "an internal license key", kind: "license-internal", value: await makeLicenseKey("internal") },
    { name: "a revoked license key", kind: "invalid", value: revoked },
    { name: "an expired license key", kind: "invalid", value: expired },
    { name: "the site's API key", kind: "site-key", site: store, value: await makeSiteKey(store) },
    { name: "a server token", kind: "site-key", site: store, value: await makeServerKey(store, "internal") },
    { name: "another store's API key", kind: "site-key", site: otherStore, value: await makeSiteKey(otherStore) },
    {
      name: "another store's server token",
      kind: "site-key",
      site: otherStore,
      value: await makeServerKey(otherStore, "internal"),
    },
    { name: "the central site's server token", kind: "site-key", site: "central", value: await makeServerKey() },
    { name: "a user's token", kind: "user", site: store, value: user.token },
    { name: "a token after logout", kind: "invalid", value: loggedOut.token },
    { name: "a staff token", kind: "staff", site: store, value: (await makeUser(store, { isStaff: true })).token },
    {
      name: "another store's staff token",
      kind: "staff",
      site: otherStore,
      value: (await makeUser(otherStore, { isStaff: true })).token,
    },
    {
      name: "a central staff token",
      kind: "staff",
      site: "central",
      value: (await makeUser("central", { isStaff: true })).token,
    },
  ]
  return { store, otherStore, credentials }
}

export type CredentialHeader = "Authorization" | "X-API-KEY" | "LB-API-KEY" | "Cookie"

/** Builds the headers that present a credential, by the name of the header. */
export const CREDENTIAL_HEADERS: Record<CredentialHeader, (value: string) => Record<string, string>> = {
  Authorization: (value) => ({ Authorization: `Bearer ${value}` }),
  "X-API-KEY": (value) => ({ "X-API-KEY": value }),
  "LB-API-KEY": (value) => ({ "LB-API-KEY": value }),
  Cookie: (value) => ({
    Cookie: ["console", "__Host-console", "tenancy_billing"]
      .map((name) => `${name}=${encodeURIComponent(value)}`)
      .join("; "),
  }),
}

/** Divides all rate limits, for tests that only need to reach one. */
export function divideRateLimits(by: number): void {
  for (const method of ["take", "peek"] as const) {
    const original = RateLimitBucket.prototype[method]
    vi.spyOn(RateLimitBucket.prototype, method).mockImplementation(function (this: RateLimitBucket, limit, ms, longer) {
      const longerPart = longer && { ...longer, limit: Math.ceil(longer.limit / by) }
      return { ...original.call(this, Math.ceil(limit / by), ms, longerPart), limit }
    })
  }
}

/**
 * Disables all rate limits, for tests that send more requests than any caller may. The Durable Objects are not called,
 * because the reset after the test would have to delete thousands of them.
 */
export function disableRateLimits(): void {
  const unlimited = { allowed: true, limit: 1_000_000, remaining: 999_999, resetAt: Date.now() + 3_600_000 }
  const stub = { fetch: async () => Response.json(unlimited) }
  vi.spyOn(env.RATE_LIMIT, "get").mockReturnValue(stub as unknown as DurableObjectStub)
}
