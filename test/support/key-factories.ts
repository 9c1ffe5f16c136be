// Inserts a site's keys directly into the tables: named server tokens and the site's API key.
import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { type ServerTokenType, serverTokens, type TokenScope } from "../../src/db/schema/central/sites"
import { randomBase62, sha256 } from "../../src/lib/hash"
import { makeSettings } from "./content-factories"

const newKey = (kind: "tns" | "tna") => `${kind}_${randomBase62(8)}_${randomBase62(40)}`

/** Creates a named server token and returns its plain text. Without scopes, it is one from before scopes existed. */
export async function makeServerKey(
  siteId = "central",
  type: ServerTokenType = "standard",
  scopes: TokenScope[] | null = null,
): Promise<string> {
  const key = newKey("tns")
  await drizzle(env.DB)
    .insert(serverTokens)
    .values({
      siteId,
      name: "a server",
      type,
      scopes,
      prefix: key.slice(0, 12),
      hash: await sha256(key),
      createdByName: "test",
      createdAt: new Date(),
    })
  return key
}

/** Creates a site's API key and returns its plain text. */
export async function makeSiteKey(siteId = "central"): Promise<string> {
  const key = newKey("tna")
  await makeSettings(siteId, { apiKeyPrefix: key.slice(0, 12), apiKeyHash: await sha256(key) })
  return key
}
