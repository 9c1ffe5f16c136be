// Signs JSON Web Tokens (RFC 7519) and handles their keys: RS256 with keys in PEM, EdDSA with keys in JWK.
import { SECOND } from "./time"

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
const MIN_RSA_BITS = 2048

/** An Ed25519 key (RFC 8037); private keys have `d`. */
export interface Ed25519Jwk {
  kty: "OKP"
  crv: "Ed25519"
  x: string
  d?: string
}

interface Header {
  alg: "RS256" | "EdDSA"
  typ: string
  kid?: string
}

/** Returns a signed token in the compact form. */
export async function signJwt(key: CryptoKey, header: Header, claims: Record<string, unknown>): Promise<string> {
  const content = [header, claims].map((part) => encodeText(JSON.stringify(part))).join(".")
  const signature = await crypto.subtle.sign(key.algorithm.name, key, new TextEncoder().encode(content))
  return `${content}.${new Uint8Array(signature).toBase64(BASE64URL)}`
}

/** Converts a time to the seconds that the claims `iat` and `exp` have. */
export const toNumericDate = (time: Date): number => Math.floor(time.getTime() / SECOND)

/**
 * Imports a private key for RS256.
 * @param pem PKCS#8
 * @throws Error for another kind of key, and for one of fewer than 2048 bits
 */
export async function importRsaKey(pem: string): Promise<CryptoKey> {
  const key = await crypto.subtle.importKey("pkcs8", pemToDer(pem, "PRIVATE KEY"), RSA, false, ["sign"])
  const { modulusLength } = key.algorithm as CryptoKeyRsaKeyAlgorithm
  if (modulusLength < MIN_RSA_BITS) throw new Error(`The RSA key has ${modulusLength} bits`)
  return key
}

/** Generates a key pair for EdDSA. */
export async function generateEd25519Keys(): Promise<{ publicJwk: Ed25519Jwk; privateJwk: Ed25519Jwk }> {
  const { privateKey } = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair
  const { x, d } = (await crypto.subtle.exportKey("jwk", privateKey)) as Ed25519Jwk
  const publicJwk: Ed25519Jwk = { kty: "OKP", crv: "Ed25519", x }
  return { publicJwk, privateJwk: { ...publicJwk, d } }
}

/** Imports a private key for EdDSA. */
export const importEd25519Key = ({ x, d }: Ed25519Jwk): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x, d }, "Ed25519", false, ["sign"])

/** Returns a public key as PEM (SPKI). */
export async function exportEd25519Pem({ x }: Ed25519Jwk): Promise<string> {
  const jwk = { kty: "OKP", crv: "Ed25519", x }
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", true, ["verify"])
  return derToPem((await crypto.subtle.exportKey("spki", key)) as ArrayBuffer, "PUBLIC KEY")
}

/** Computes the thumbprint of a public key, which serves as its id (RFC 7638). */
export async function computeThumbprint({ x }: Ed25519Jwk): Promise<string> {
  const members = new TextEncoder().encode(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
  return new Uint8Array(await crypto.subtle.digest("SHA-256", members)).toBase64(BASE64URL)
}

const encodeText = (text: string): string => new TextEncoder().encode(text).toBase64(BASE64URL)

function pemToDer(pem: string, label: string): Uint8Array<ArrayBuffer> {
  const [, body] = pem.trim().match(`^-----BEGIN ${label}-----([^-]+)-----END ${label}-----$`) ?? []
  if (body === undefined) throw new Error(`There is no ${label} in PEM`)
  return Uint8Array.fromBase64(body)
}

const derToPem = (der: ArrayBuffer, label: string): string => {
  const lines = new Uint8Array(der).toBase64().match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----`
}
