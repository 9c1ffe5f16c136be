// Manages the key pair that signs offline license files and update files. It is generated on first use; the private key
// is encrypted with APP_KEY.
import { eq } from "drizzle-orm"
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK } from "jose"
import type { Ctx } from "../../core/context"
import { commit, WriteConflict } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { settings } from "../../db/schema/central/settings"
import { insert } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"

const SETTING_NAME = "lm_signing_key"
const ALGORITHM = "EdDSA"

interface StoredPair {
  /** The key id is the JWK thumbprint (RFC 7638). */
  public: JWK & { kid: string }
  /** The private JWK as JSON, encrypted with APP_KEY. */
  private: string
}

/** Returns the private key and its id. */
export const getSigningKey = async (ctx: Ctx) => openSigningKey(ctx, await getOrCreatePair(ctx))

async function openSigningKey(ctx: Ctx, pair: StoredPair) {
  const jwk = await decrypt(ctx.settings.APP_KEY, pair.private)
  if (jwk === null) throw new Error("The license file signing key was encrypted with another APP_KEY")
  return { kid: pair.public.kid, algorithm: ALGORITHM, key: await importJWK(JSON.parse(jwk), ALGORITHM) }
}

/** Returns the public key as a JSON Web Key Set (RFC 7517) and as PEM. */
export async function getPublicKeys(ctx: Ctx) {
  const { public: jwk } = await getOrCreatePair(ctx)
  const key = await importJWK(jwk, ALGORITHM, { extractable: true })
  return { keys: [jwk], pem: await exportSPKI(key as CryptoKey) }
}

async function getOrCreatePair(ctx: Ctx): Promise<StoredPair> {
  const existing = await readPair(ctx)
  if (existing) return existing
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const pair: StoredPair = {
    public: { ...jwk, kid, alg: ALGORITHM, use: "sig" },
    private: await encrypt(ctx.settings.APP_KEY, JSON.stringify(await exportJWK(privateKey))),
  }
  try {
    await commit(ctx, {
      writes: [insert(settings).values({ name: SETTING_NAME, value: pair })],
      auditLog: [
        {
          audit: {
            subject: "license_settings",
            action: "created",
            id: SETTING_NAME,
            after: { kid, algorithm: ALGORITHM },
          },
        },
      ],
    })
    return pair
  } catch (cause) {
    // A concurrent request stored its pair first; both use that one.
    const winner = cause instanceof WriteConflict ? await readPair(ctx) : null
    if (winner) return winner
    throw cause
  }
}

/** Query for the key pair, for `signDigest`. */
export const selectSigningPair = (db: CentralDatabase) =>
  db.select().from(settings).where(eq(settings.name, SETTING_NAME))

/**
 * Signs a digest with Ed25519.
 * @param rows result of `selectSigningPair`
 * @param digest in hex
 * @returns the signature in base64; null while there is no key pair
 */
export async function signDigest(ctx: Ctx, rows: PairRows, digest: string): Promise<string | null> {
  const pair = parsePair(rows)
  if (!pair) return null
  const { key } = await openSigningKey(ctx, pair)
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key as CryptoKey, Uint8Array.fromHex(digest))).toBase64()
}

type PairRows = readonly { value: unknown }[]

const parsePair = ([row]: PairRows): StoredPair | null => (row?.value as StoredPair | undefined) ?? null

const readPair = async (ctx: Ctx): Promise<StoredPair | null> => parsePair(await selectSigningPair(ctx.db))
