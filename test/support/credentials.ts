// Every kind of credential that the platform gives or once gave, and the ways in which an attacker may present one.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { call } from "./app"
import { hostOfStore, makeUser } from "./content-factories"
import { makeKey, makeReadyStore } from "./factories"
import { makeServerKey, makeSiteKey } from "./key-factories"
import { makeLicenseKey } from "./license-factories"

/** What a credential is good for; those of `nothing` are good for nothing. */
type Kind =
  | "nothing"
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
  kind: Kind
  /** Whose it is, where it is a site's. */
  site?: string
  value: string
}

/** Two stores, and all that anybody could hold. */
export async function everyCredential() {
  const [here, there] = [await makeReadyStore(), await makeReadyStore()]
  const user = await makeUser(here)
  const gone = await makeUser(here)
  await call("GET", "/api/v1/logout", { host: hostOfStore(here), token: gone.token })
  const revoked = await makeLicenseKey("external")
  const expired = await makeLicenseKey("internal")
  const { results } = await env.DB.prepare("select id from license_keys order by id").all<{ id: number }>()
  await env.DB.prepare("update license_keys set revoked_at = 1 where id = ?").bind(results.at(-2)?.id).run()
  await env.DB.prepare("update license_keys set expires_at = 1 where id = ?").bind(results.at(-1)?.id).run()
  const made: Credential[] = [
    { name: "a made-up platform key", kind: "nothing", value: `tnk_${"a".repeat(8)}_${"a".repeat(40)}` },
    { name: "a made-up user token", kind: "nothing", value: `1|${"a".repeat(48)}` },
    { name: "a made-up server token", kind: "nothing", value: `tns_${"a".repeat(8)}_${"a".repeat(40)}` },
    { name: "nonsense", kind: "nothing", value: "null" },
    { name: "a SQL condition", kind: "nothing", value: "' or 1=1 --" },
    {
      name: "an expired platform key",
      kind: "nothing",
      value: await makeKey({ expires: new Date(Date.now() - 1000) }),
    },
    { name: "a revoked platform key", kind: "nothing", value: await makeKey({ revoked: true }) },
    { name: "a reader's platform key", kind: "platform-read", value: await makeKey({ scopes: ["read"] }) },
    { name: "a platform key", kind: "platform", value: await makeKey() },
    { name: "the operator's token", kind: "operator", value: env.OPERATOR_TOKEN as string },
    { name: "a client's license key", kind: "license-external", value: await makeLicenseKey("external") },
    { name: "a vendor's license key", kind: "license-internal", value: await makeLicenseKey("internal") },
    { name: "a revoked license key", kind: "nothing", value: revoked },
    { name: "an expired license key", kind: "nothing", value: expired },
    { name: "the site's key", kind: "site-key", site: here, value: await makeSiteKey(here) },
    { name: "a server token", kind: "site-key", site: here, value: await makeServerKey(here, "internal") },
    { name: "another store's key", kind: "site-key", site: there, value: await makeSiteKey(there) },
    {
      name: "another store's server token",
      kind: "site-key",
      site: there,
      value: await makeServerKey(there, "internal"),
    },
    { name: "the central site's server token", kind: "site-key", site: "central", value: await makeServerKey() },
    { name: "a user's token", kind: "user", site: here, value: user.token },
    { name: "a token that was given back", kind: "nothing", value: gone.token },
    { name: "staff's token", kind: "staff", site: here, value: (await makeUser(here, { isStaff: true })).token },
    {
      name: "another store's staff's token",
      kind: "staff",
      site: there,
      value: (await makeUser(there, { isStaff: true })).token,
    },
    {
      name: "a central user's token",
      kind: "staff",
      site: "central",
      value: (await makeUser("central", { isStaff: true })).token,
    },
  ]
  return { here, there, credentials: made }
}

export type Way = "Authorization" | "X-API-KEY" | "LB-API-KEY" | "Cookie"

/** The headers that present a credential, by the one that matters. */
export const WAYS: Record<Way, (value: string) => Record<string, string>> = {
  Authorization: (value) => ({ Authorization: `Bearer ${value}` }),
  "X-API-KEY": (value) => ({ "X-API-KEY": value }),
  "LB-API-KEY": (value) => ({ "LB-API-KEY": value }),
  Cookie: (value) => ({
    Cookie: ["console", "__Host-console", "tenancy_billing"]
      .map((name) => `${name}=${encodeURIComponent(value)}`)
      .join("; "),
  }),
}

/**
 * Takes every budget away, for a test that asks more than any caller may, about something else. The objects behind them are not
 * called: thousands of them would be there to be put away.
 */
export function withoutBudgets(): void {
  const endless = { allowed: true, limit: 1_000_000, remaining: 999_999, resetAt: Date.now() + 3_600_000 }
  const stub = { fetch: async () => Response.json(endless) }
  vi.spyOn(env.RATE_LIMIT, "get").mockReturnValue(stub as unknown as DurableObjectStub)
}
