// Generates, imports and exports Ed25519 keys as JSON Web Keys (RFC 8037).
const ALGORITHM = "Ed25519"

/** A key; `d` is the private part. */
export interface Ed25519Key {
  kty: string
  crv: string
  x: string
  d?: string
}

async function exportJwk(key: CryptoKey): Promise<Ed25519Key> {
  const { kty, crv, x, d } = (await crypto.subtle.exportKey("jwk", key)) as JsonWebKey
  if (!kty || !crv || !x) throw new Error("Not an Ed25519 key")
  return { kty, crv, x, ...(d && { d }) }
}

/** Generates a key pair. */
export async function generateEd25519(): Promise<{ publicJwk: Ed25519Key; privateJwk: Ed25519Key }> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as CryptoKeyPair
  return { publicJwk: await exportJwk(pair.publicKey), privateJwk: await exportJwk(pair.privateKey) }
}

/** Imports a key: a private one for signing, a public one for verification and export. */
export const importEd25519 = ({ kty, crv, x, d }: Ed25519Key): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty, crv, x, ...(d && { d }) }, ALGORITHM, !d, [d ? "sign" : "verify"])

/** The thumbprint of a public key, which names it (RFC 7638). */
export async function computeThumbprint({ kty, crv, x }: Ed25519Key): Promise<string> {
  const canonical = new TextEncoder().encode(JSON.stringify({ crv, kty, x }))
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", canonical))
  return digest.toBase64({ alphabet: "base64url", omitPadding: true })
}

/** Writes a public key as PEM (SPKI). */
export async function exportPem(key: CryptoKey): Promise<string> {
  const spki = (await crypto.subtle.exportKey("spki", key)) as ArrayBuffer
  const lines = new Uint8Array(spki).toBase64().match(/.{1,64}/g) ?? []
  return ["-----BEGIN PUBLIC KEY-----", ...lines, "-----END PUBLIC KEY-----"].join("\n")
}
