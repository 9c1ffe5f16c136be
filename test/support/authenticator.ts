// A software authenticator, which creates passkeys and signs with them.
import { env } from "cloudflare:workers"
import { publicUrl, settingsOf } from "../../src/env"

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const
export const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text))
export const encodeBase64Url = (bytes: Uint8Array) => bytes.toBase64(BASE64URL)
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))

const PARAMETERS = {
  "-7": { make: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
  "-257": {
    make: {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    sign: { name: "RSASSA-PKCS1-v1_5" },
  },
} as const

export type Algorithm = keyof typeof PARAMETERS

/** Encodes an ECDSA signature in DER, as authenticators do. */
function encodeDerSignature(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const number = (half: Uint8Array) => {
    const first = half.findIndex((byte) => byte !== 0)
    const digits = [...half.subarray(first)]
    const padded = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits
    return [0x02, padded.length, ...padded]
  }
  const body = [...number(raw.subarray(0, 32)), ...number(raw.subarray(32))]
  return new Uint8Array([0x30, body.length, ...body])
}

interface PasskeyInput {
  challenge: string
  rpId?: string
  origin?: string
  flags?: number
  type?: string
}

/** Creates a software authenticator with one key and a signature counter, which is used on a host. */
export async function createAuthenticator(algorithm: Algorithm, host = "localhost") {
  const { make, sign } = PARAMETERS[algorithm]
  const pair = (await crypto.subtle.generateKey(make as never, true, ["sign", "verify"])) as CryptoKeyPair
  const id = crypto.getRandomValues(new Uint8Array(32))
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer)
  const data = async ({ rpId = host, flags = 0x05 }: PasskeyInput, counter: number, rest: number[] = []) =>
    new Uint8Array([...(await sha256(encodeUtf8(rpId))), flags, 0, 0, 0, counter, ...rest])
  const client = ({ challenge, origin = publicUrl(settingsOf(env), host), type }: PasskeyInput, usual: string) =>
    encodeUtf8(JSON.stringify({ type: type ?? usual, challenge, origin, crossOrigin: false }))
  return {
    create: async (input: PasskeyInput) => ({
      credential_id: encodeBase64Url(id),
      client_data: encodeBase64Url(client(input, "webauthn.create")),
      authenticator_data: encodeBase64Url(
        await data({ ...input, flags: input.flags ?? 0x45 }, 0, [...new Array(16).fill(0), 0, id.length, ...id, 0xa0]),
      ),
      public_key: encodeBase64Url(spki),
      algorithm,
    }),
    get: async (input: PasskeyInput, counter: number) => {
      const [authData, clientData] = [await data(input, counter), client(input, "webauthn.get")]
      const signed = new Uint8Array([...authData, ...(await sha256(clientData))])
      const raw = new Uint8Array(await crypto.subtle.sign(sign as never, pair.privateKey, signed))
      return {
        passkey_id: encodeBase64Url(id),
        passkey_client_data: encodeBase64Url(clientData),
        passkey_authenticator_data: encodeBase64Url(authData),
        passkey_signature: encodeBase64Url(algorithm === "-7" ? encodeDerSignature(raw) : raw),
      }
    },
  }
}
