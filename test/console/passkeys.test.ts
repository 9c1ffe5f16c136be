// Registers and uses passkeys with a software authenticator.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { publicUrl, settingsOf } from "../../src/env"
import { type Browser, createBrowser, getCookie, postForm, signIn } from "./support"

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const
const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text))
const encodeBase64Url = (bytes: Uint8Array) => bytes.toBase64(BASE64URL)
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

type Algorithm = keyof typeof PARAMETERS

const ORIGIN = publicUrl(settingsOf(env), "localhost")

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

/** Creates a software authenticator with one key and a signature counter. */
async function createAuthenticator(algorithm: Algorithm) {
  const { make, sign } = PARAMETERS[algorithm]
  const pair = (await crypto.subtle.generateKey(make as never, true, ["sign", "verify"])) as CryptoKeyPair
  const id = crypto.getRandomValues(new Uint8Array(32))
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer)
  const data = async ({ rpId = "localhost", flags = 0x05 }: PasskeyInput, counter: number, rest: number[] = []) =>
    new Uint8Array([...(await sha256(encodeUtf8(rpId))), flags, 0, 0, 0, counter, ...rest])
  const client = ({ challenge, origin = ORIGIN, type }: PasskeyInput, usual: string) =>
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

const getChallenge = (html: string) => /data-challenge="([^"]+)"/.exec(html)?.[1] ?? ""
const getLoginChallenge = async () => getChallenge((await createBrowser("").get("/console/login")).text)

const registerPasskey = async (admin: Browser, algorithm: Algorithm) => {
  const key = await createAuthenticator(algorithm)
  const challenge = getChallenge((await admin.get("/console/account")).text)
  const response = await admin.post("/console/account/passkeys", { name: "Key", ...(await key.create({ challenge })) })
  expect([response.status, response.headers.get("Location")]).toEqual([
    303,
    "/console/account?done=passkey_added#passkeys",
  ])
  return key
}

test("signs in with an ES256 or RS256 passkey, once per challenge", async () => {
  for (const algorithm of ["-7", "-257"] as const) {
    const admin = await signIn({ name: `Ada ${algorithm}` })
    const key = await registerPasskey(admin, algorithm)
    const fields = await key.get({ challenge: await getLoginChallenge() }, 1)
    const entered = await postForm("/console/login/passkey", { ...fields, next: "/console/stores" })
    expect([entered.status, entered.headers.get("Location")]).toEqual([303, "/console/stores"])
    expect((await createBrowser(getCookie(entered)).get("/console")).text).toContain(`Ada ${algorithm}`)
    // A response cannot be replayed.
    expect((await postForm("/console/login/passkey", fields)).status).toBe(422)
    const account = await createBrowser(getCookie(entered)).get("/console/account")
    const remove = /action="(\/console\/account\/passkeys\/\d+\/delete)"/.exec(account.text)?.[1] ?? ""
    const other = await signIn()
    expect((await other.post(remove)).status).toBe(404)
    expect((await admin.post(remove)).status).toBe(303)
    expect(
      (await postForm("/console/login/passkey", await key.get({ challenge: await getLoginChallenge() }, 2))).status,
    ).toBe(422)
  }
  const { results } = await env.DB.prepare(
    "select interface, after from audit_entries where after like '%passkey%'",
  ).all()
  expect(results).toEqual([
    { interface: "console", after: '{"passkey":"Key"}' },
    { interface: "console", after: '{"passkey":"Key"}' },
  ])
})

test("rejects forged and mismatched passkey responses", async () => {
  const admin = await signIn()
  const key = await registerPasskey(admin, "-7")
  const other = await createAuthenticator("-7")
  type Responder = (challenge: string) => Promise<Record<string, string>>
  const registering = getChallenge((await admin.get("/console/account")).text)
  const refused: Record<string, Responder> = {
    "another site": (challenge) => key.get({ challenge, rpId: "evil.example" }, 5),
    "another origin": (challenge) => key.get({ challenge, origin: "http://acme.localhost" }, 5),
    "another ceremony": (challenge) => key.get({ challenge, type: "webauthn.create" }, 5),
    "no user present": (challenge) => key.get({ challenge, flags: 0x04 }, 5),
    "no user verification": (challenge) => key.get({ challenge, flags: 0x01 }, 5),
    "a forged challenge": () => key.get({ challenge: encodeBase64Url(encodeUtf8("9999999999999.x.y")) }, 5),
    "a challenge for registration": () => key.get({ challenge: registering }, 5),
    "the signature of another key": async (challenge) => ({
      ...(await key.get({ challenge }, 5)),
      passkey_signature: (await other.get({ challenge }, 5)).passkey_signature,
    }),
    "an unknown key": (challenge) => other.get({ challenge }, 5),
    "invalid JSON": async (challenge) => ({
      ...(await key.get({ challenge }, 5)),
      passkey_client_data: encodeBase64Url(encodeUtf8("{")),
    }),
    "invalid base64": async (challenge) => ({ ...(await key.get({ challenge }, 5)), passkey_signature: "%%%" }),
  }
  for (const [index, [name, respond]] of Object.entries(refused).entries()) {
    const fields = await respond(await getLoginChallenge())
    const from = { headers: { "CF-Connecting-IP": `198.51.100.${index}` } }
    await env.DB.exec("update operator_passkeys set counter = 0")
    expect((await postForm("/console/login/passkey", fields, from)).status, name).toBe(422)
  }
  const [higher, equal] = [await getLoginChallenge(), await getLoginChallenge()]
  expect((await postForm("/console/login/passkey", await key.get({ challenge: higher }, 7))).status).toBe(303)
  // A counter that does not increase indicates a cloned authenticator.
  expect((await postForm("/console/login/passkey", await key.get({ challenge: equal }, 7))).status).toBe(422)
})

test("expires challenges after five minutes and rejects a challenge issued to another operator", async () => {
  const start = Date.now()
  const [admin, other] = [await signIn(), await signIn()]
  const key = await registerPasskey(admin, "-7")
  const [late, foreign] = [await getLoginChallenge(), getChallenge((await other.get("/console/account")).text)]
  const stolen = await (await createAuthenticator("-7")).create({ challenge: foreign })
  expect((await admin.post("/console/account/passkeys", { name: "Key", ...stolen })).status).toBe(422)
  vi.useFakeTimers({ toFake: ["Date"], now: start + 6 * 60_000 })
  expect((await postForm("/console/login/passkey", await key.get({ challenge: late }, 1))).status).toBe(422)
})

test("confirms a sensitive action with a passkey instead of the password", async () => {
  const start = Date.now()
  const admin = await signIn()
  const key = await registerPasskey(admin, "-7")
  vi.useFakeTimers({ toFake: ["Date"], now: start + 11 * 60_000 })
  const confirmation = await admin.post("/console/keys", { name: "Key", scopes: "read" })
  expect(confirmation.status).toBe(403)
  const fields = await key.get({ challenge: getChallenge(confirmation.text) }, 1)
  expect((await admin.post("/console/keys", { name: "Key", scopes: "read", ...fields })).text).toMatch(/tnk_/)
})
