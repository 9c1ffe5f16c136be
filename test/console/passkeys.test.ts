// Passkeys, spoken to as a browser with an authenticator speaks: registered, shown, refused.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { publicUrl, settingsOf } from "../../src/env"
import { type Browser, browser, cookieOf, post, signIn } from "./support"

const B64 = { alphabet: "base64url", omitPadding: true } as const
const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text))
const text = (bytes: Uint8Array) => bytes.toBase64(B64)
const digest = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))

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

/** An ECDSA signature in DER, as authenticators give it. */
function der(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const number = (half: Uint8Array) => {
    const first = half.findIndex((byte) => byte !== 0)
    const digits = [...half.subarray(first)]
    const padded = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits
    return [0x02, padded.length, ...padded]
  }
  const body = [...number(raw.subarray(0, 32)), ...number(raw.subarray(32))]
  return new Uint8Array([0x30, body.length, ...body])
}

interface Said {
  challenge: string
  rpId?: string
  origin?: string
  flags?: number
  type?: string
}

/** A software authenticator with one key, which counts. */
async function authenticator(algorithm: Algorithm) {
  const { make, sign } = PARAMETERS[algorithm]
  const pair = (await crypto.subtle.generateKey(make as never, true, ["sign", "verify"])) as CryptoKeyPair
  const id = crypto.getRandomValues(new Uint8Array(32))
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer)
  const data = async ({ rpId = "localhost", flags = 0x05 }: Said, counter: number, rest: number[] = []) =>
    new Uint8Array([...(await digest(encode(rpId))), flags, 0, 0, 0, counter, ...rest])
  const client = ({ challenge, origin = ORIGIN, type }: Said, usual: string) =>
    encode(JSON.stringify({ type: type ?? usual, challenge, origin, crossOrigin: false }))
  return {
    create: async (said: Said) => ({
      credential_id: text(id),
      client_data: text(client(said, "webauthn.create")),
      authenticator_data: text(
        await data({ ...said, flags: said.flags ?? 0x45 }, 0, [...new Array(16).fill(0), 0, id.length, ...id, 0xa0]),
      ),
      public_key: text(spki),
      algorithm,
    }),
    get: async (said: Said, counter: number) => {
      const [authData, clientData] = [await data(said, counter), client(said, "webauthn.get")]
      const signed = new Uint8Array([...authData, ...(await digest(clientData))])
      const raw = new Uint8Array(await crypto.subtle.sign(sign as never, pair.privateKey, signed))
      return {
        passkey_id: text(id),
        passkey_client_data: text(clientData),
        passkey_authenticator_data: text(authData),
        passkey_signature: text(algorithm === "-7" ? der(raw) : raw),
      }
    },
  }
}

const challengeOf = (html: string) => /data-challenge="([^"]+)"/.exec(html)?.[1] ?? ""
const loginChallenge = async () => challengeOf((await browser("").get("/console/login")).text)

const register = async (admin: Browser, algorithm: Algorithm) => {
  const key = await authenticator(algorithm)
  const challenge = challengeOf((await admin.get("/console/account")).text)
  const answer = await admin.post("/console/account/passkeys", { name: "Key", ...(await key.create({ challenge })) })
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/console/account?done=passkey_added#passkeys"])
  return key
}

test("a passkey of either kind signs in, without a password and without a code, once a challenge", async () => {
  for (const algorithm of ["-7", "-257"] as const) {
    const admin = await signIn({ name: `Ada ${algorithm}` })
    const key = await register(admin, algorithm)
    const fields = await key.get({ challenge: await loginChallenge() }, 1)
    const entered = await post("/console/login/passkey", { ...fields, next: "/console/stores" })
    expect([entered.status, entered.headers.get("Location")]).toEqual([303, "/console/stores"])
    expect((await browser(cookieOf(entered)).get("/console")).text).toContain(`Ada ${algorithm}`)
    // The very same answer again is none.
    expect((await post("/console/login/passkey", fields)).status).toBe(422)
    const account = await browser(cookieOf(entered)).get("/console/account")
    const remove = /action="(\/console\/account\/passkeys\/\d+\/delete)"/.exec(account.text)?.[1] ?? ""
    const stranger = await signIn()
    expect((await stranger.post(remove)).status).toBe(404)
    expect((await admin.post(remove)).status).toBe(303)
    expect((await post("/console/login/passkey", await key.get({ challenge: await loginChallenge() }, 2))).status).toBe(
      422,
    )
  }
  const { results } = await env.DB.prepare(
    "select interface, after from audit_entries where after like '%passkey%'",
  ).all()
  expect(results).toEqual([
    { interface: "console", after: '{"passkey":"Key"}' },
    { interface: "console", after: '{"passkey":"Key"}' },
  ])
})

test("an answer that does not hold is refused, whatever it is that does not", async () => {
  const admin = await signIn()
  const key = await register(admin, "-7")
  const other = await authenticator("-7")
  type Answer = (challenge: string) => Promise<Record<string, string>>
  const registering = challengeOf((await admin.get("/console/account")).text)
  const refused: Record<string, Answer> = {
    "another site": (challenge) => key.get({ challenge, rpId: "evil.example" }, 5),
    "another origin": (challenge) => key.get({ challenge, origin: "http://acme.localhost" }, 5),
    "another ceremony": (challenge) => key.get({ challenge, type: "webauthn.create" }, 5),
    "nobody there": (challenge) => key.get({ challenge, flags: 0x04 }, 5),
    "nobody verified": (challenge) => key.get({ challenge, flags: 0x01 }, 5),
    "a challenge of its own": () => key.get({ challenge: text(encode("9999999999999.x.y")) }, 5),
    "a challenge for something else": () => key.get({ challenge: registering }, 5),
    "a signature of another": async (challenge) => ({
      ...(await key.get({ challenge }, 5)),
      passkey_signature: (await other.get({ challenge }, 5)).passkey_signature,
    }),
    "an unknown key": (challenge) => other.get({ challenge }, 5),
    "no JSON": async (challenge) => ({ ...(await key.get({ challenge }, 5)), passkey_client_data: text(encode("{")) }),
    "no base64": async (challenge) => ({ ...(await key.get({ challenge }, 5)), passkey_signature: "%%%" }),
  }
  for (const [index, [what, answer]] of Object.entries(refused).entries()) {
    const fields = await answer(await loginChallenge())
    const from = { headers: { "CF-Connecting-IP": `198.51.100.${index}` } }
    await env.DB.exec("update operator_passkeys set counter = 0")
    expect((await post("/console/login/passkey", fields, from)).status, what).toBe(422)
  }
  const [rises, stands] = [await loginChallenge(), await loginChallenge()]
  expect((await post("/console/login/passkey", await key.get({ challenge: rises }, 7))).status).toBe(303)
  // A counter that does not rise is that of a copy.
  expect((await post("/console/login/passkey", await key.get({ challenge: stands }, 7))).status).toBe(422)
})

test("a challenge lasts five minutes, and a key is not registered for what was signed for another", async () => {
  const start = Date.now()
  const [admin, other] = [await signIn(), await signIn()]
  const key = await register(admin, "-7")
  const [late, foreign] = [await loginChallenge(), challengeOf((await other.get("/console/account")).text)]
  const stolen = await (await authenticator("-7")).create({ challenge: foreign })
  expect((await admin.post("/console/account/passkeys", { name: "Key", ...stolen })).status).toBe(422)
  vi.useFakeTimers({ toFake: ["Date"], now: start + 6 * 60_000 })
  expect((await post("/console/login/passkey", await key.get({ challenge: late }, 1))).status).toBe(422)
})

test("who is asked again shows a passkey instead of the password", async () => {
  const start = Date.now()
  const admin = await signIn()
  const key = await register(admin, "-7")
  vi.useFakeTimers({ toFake: ["Date"], now: start + 11 * 60_000 })
  const asked = await admin.post("/console/keys", { name: "Key", scopes: "read" })
  expect(asked.status).toBe(403)
  const fields = await key.get({ challenge: challengeOf(asked.text) }, 1)
  expect((await admin.post("/console/keys", { name: "Key", scopes: "read", ...fields })).text).toMatch(/tnk_/)
})
