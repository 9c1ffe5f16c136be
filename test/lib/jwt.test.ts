// Signed tokens and their keys, compared with the vectors of RFC 8037 and with an independent library.
import { decodeProtectedHeader, exportPKCS8, generateKeyPair, importJWK, importSPKI, jwtVerify } from "jose"
import { expect, test } from "vitest"
import {
  computeThumbprint,
  exportEd25519Pem,
  generateEd25519Keys,
  importEd25519Key,
  importRsaKey,
  signJwt,
  toNumericDate,
} from "../../src/lib/jwt"

/** RFC 8037, appendix A. */
const KEY = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" } as const

test("computes the thumbprint and the PEM of RFC 8037's key", async () => {
  expect(await computeThumbprint(KEY)).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  expect(await exportEd25519Pem(KEY)).toBe(
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----",
  )
})

test("signs tokens with Ed25519 that another library verifies", async () => {
  const { publicJwk, privateJwk } = await generateEd25519Keys()
  const claims = { sub: "Zoë", iat: toNumericDate(new Date(1_700_000_000_999)), missing: undefined }
  const token = await signJwt(
    await importEd25519Key(privateJwk),
    { alg: "EdDSA", typ: "license+jwt", kid: "k1" },
    claims,
  )
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(decodeProtectedHeader(token)).toEqual({ alg: "EdDSA", typ: "license+jwt", kid: "k1" })
  for (const key of [await importJWK(publicJwk, "EdDSA"), await importSPKI(await exportEd25519Pem(publicJwk), "EdDSA")])
    expect((await jwtVerify(token, key)).payload).toEqual({ sub: "Zoë", iat: 1_700_000_000 })
})

test("signs tokens with RSA keys of at least 2048 bits, and refuses other keys", async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
  const pem = await exportPKCS8(privateKey)
  const token = await signJwt(await importRsaKey(`\n${pem}\n`), { alg: "RS256", typ: "JWT" }, { iss: "shop" })
  expect((await jwtVerify(token, publicKey)).payload).toEqual({ iss: "shop" })
  const rsa = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 1024,
    publicExponent: new Uint8Array([1, 0, 1]),
  }
  const short = (await crypto.subtle.generateKey(rsa, true, ["sign", "verify"])) as CryptoKeyPair
  const ec = await generateKeyPair("ES256", { extractable: true })
  for (const refused of [
    await exportPKCS8(short.privateKey),
    await exportPKCS8(ec.privateKey),
    "no key",
    pem.slice(40),
  ])
    await expect(importRsaKey(refused)).rejects.toThrow()
})
