// Signs JSON Web Tokens (RFC 7519) with RSA or Ed25519.
const encoder = new TextEncoder()

const ALGORITHMS = { RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, EdDSA: { name: "Ed25519" } } as const

/** The minimum length of an RSA key in bits (RFC 7518, section 3.3). */
const MIN_RSA_BITS = 2048

const toBase64Url = (bytes: Uint8Array): string => bytes.toBase64({ alphabet: "base64url", omitPadding: true })

const encode = (value: object): string => toBase64Url(encoder.encode(JSON.stringify(value)))

/** The number of a time in a claim: seconds since 1970. */
export const toNumericDate = (at: Date): number => Math.floor(at.getTime() / 1000)

/** Signs claims. Those that are undefined are left out. */
export async function signJwt(
  header: { alg: keyof typeof ALGORITHMS; kid?: string; typ: string },
  claims: object,
  key: CryptoKey,
): Promise<string> {
  const content = `${encode(header)}.${encode(claims)}`
  const signature = await crypto.subtle.sign(ALGORITHMS[header.alg], key, encoder.encode(content))
  return `${content}.${toBase64Url(new Uint8Array(signature))}`
}

/**
 * Imports a private RSA key for `RS256`.
 * @param pem PKCS#8
 * @throws Error for any other text, and for a key of fewer than 2048 bits
 */
export async function importRsaKey(pem: string): Promise<CryptoKey> {
  const [, body = ""] = /^\s*-----BEGIN PRIVATE KEY-----([\w+/=\s]+)-----END PRIVATE KEY-----\s*$/.exec(pem) ?? []
  const bytes = Uint8Array.fromBase64(body)
  const key = await crypto.subtle.importKey("pkcs8", bytes, ALGORITHMS.RS256, false, ["sign"])
  if ((key.algorithm as CryptoKeyKeyAlgorithm & { modulusLength: number }).modulusLength < MIN_RSA_BITS)
    throw new Error("The RSA key is too short")
  return key
}
