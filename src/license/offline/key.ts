// The key pair that signs offline license files: made on first use, its private half under the application's key.
import { eq } from "drizzle-orm"
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK } from "jose"
import type { Ctx } from "../../core/context"
import { commit, WriteConflict } from "../../core/write/commit"
import { settings } from "../../db/schema/central/settings"
import { insert } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"

const NAME = "lm_signing_key"
const ALGORITHM = "EdDSA"

interface StoredPair {
  /** The public half, with its key id: the thumbprint of RFC 7638. */
  public: JWK & { kid: string }
  /** The private half as JSON, under the application's key. */
  private: string
}

/** The private key and its id. */
export async function signingKey(ctx: Ctx) {
  const pair = await storedPair(ctx)
  const jwk = await decrypt(ctx.settings.APP_KEY, pair.private)
  if (jwk === null) throw new Error("The key that signs license files was stored under another APP_KEY")
  return { kid: pair.public.kid, algorithm: ALGORITHM, key: await importJWK(JSON.parse(jwk), ALGORITHM) }
}

/** The public key: a JSON Web Key Set (RFC 7517), and the same key as PEM for those who verify with other tools. */
export async function publicKeys(ctx: Ctx) {
  const { public: jwk } = await storedPair(ctx)
  const key = await importJWK(jwk, ALGORITHM, { extractable: true })
  return { keys: [jwk], pem: await exportSPKI(key as CryptoKey) }
}

async function storedPair(ctx: Ctx): Promise<StoredPair> {
  const known = await readPair(ctx)
  if (known) return known
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const pair: StoredPair = {
    public: { ...jwk, kid, alg: ALGORITHM, use: "sig" },
    private: await encrypt(ctx.settings.APP_KEY, JSON.stringify(await exportJWK(privateKey))),
  }
  try {
    await commit(ctx, {
      writes: [insert(settings).values({ name: NAME, value: pair })],
      trail: [
        { audit: { subject: "license_settings", deed: "created", id: NAME, after: { kid, algorithm: ALGORITHM } } },
      ],
    })
    return pair
  } catch (cause) {
    // Of two that are made at the same moment the first stays, and both callers use it.
    const first = cause instanceof WriteConflict ? await readPair(ctx) : null
    if (first) return first
    throw cause
  }
}

async function readPair(ctx: Ctx): Promise<StoredPair | null> {
  const [row] = await ctx.db.select().from(settings).where(eq(settings.name, NAME))
  return (row?.value as StoredPair | undefined) ?? null
}
