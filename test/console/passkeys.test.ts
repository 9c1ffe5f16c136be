// Registers and uses passkeys with a software authenticator.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { type Algorithm, createAuthenticator, encodeBase64Url, encodeUtf8 } from "../support/authenticator"
import { type Browser, createBrowser, getCookie, postForm, signIn } from "./support"

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

test("refuses a 21st passkey, and says so", async () => {
  const admin = await signIn()
  await registerPasskey(admin, "-7")
  await env.DB.exec(
    "insert into operator_passkeys (operator_id, credential_id, public_key, algorithm, counter, name, created_at) select operator_id, 'copy-' || value, public_key, algorithm, 0, name, 1 from operator_passkeys, json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]')",
  )
  const key = await createAuthenticator("-7")
  const challenge = getChallenge((await admin.get("/console/account")).text)
  const refused = await admin.post("/console/account/passkeys", {
    name: "One more",
    ...(await key.create({ challenge })),
  })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain("You can have at most 20. Remove one first.")
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
