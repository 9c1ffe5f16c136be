// A stand-in for the push provider (Firebase Cloud Messaging, HTTP v1, and the token endpoint of its accounts): it holds assertions and
// access tokens to what the real one asks, keeps what was sent, and answers each documented outcome. The tests, the benchmark and
// `npm start -- --demo-push` run the same one.
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose"

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const PROJECT = "demo-project"
const EMAIL = "push@demo-project.example"

/** A message as it came. */
interface Sent {
  token?: string
  topic?: string
  notification: { title: string; body: string; image?: string }
  data: Record<string, string>
  android: { notification: { tag: string } }
  apns: { headers: Record<string, string> }
}

export interface PushProvider {
  /** The JSON of a service account that it knows. */
  serviceAccount: string
  /** What it accepted, in order. */
  accepted: Sent[]
  /** Requests to send, by the device's token. */
  asked: Map<string, number>
  /** Access tokens that it gave. */
  grants: number
  /** Most requests that were under way at one moment. */
  busiest: number
  /** Answers in place of what it would answer. */
  token: (() => Response | Promise<Response>) | null
  message: ((sent: Sent) => Response | undefined | Promise<Response | undefined>) | null
  /** From now on the access tokens that it gave are not taken. */
  forgetGrants(): void
  answer(request: Request): Promise<Response>
}

/** Made once, which takes a moment. */
let keys: ReturnType<typeof generateKeyPair> | undefined

/**
 * Makes a provider with an account.
 * @param base where it is, such as `http://127.0.0.1:9000`
 */
export async function createPushProvider(base: string): Promise<PushProvider> {
  keys ??= generateKeyPair("RS256", { extractable: true })
  const { publicKey, privateKey } = await keys
  const tokenUri = `${base}/token`
  let good = new Set<string>()
  let underWay = 0
  const provider: PushProvider = {
    serviceAccount: JSON.stringify({
      type: "service_account",
      project_id: PROJECT,
      private_key: await exportPKCS8(privateKey),
      client_email: EMAIL,
      token_uri: tokenUri,
    }),
    accepted: [],
    asked: new Map(),
    grants: 0,
    busiest: 0,
    token: null,
    message: null,
    forgetGrants: () => {
      good = new Set()
    },
    async answer(request) {
      underWay += 1
      provider.busiest = Math.max(provider.busiest, underWay)
      try {
        const { pathname } = new URL(request.url)
        if (request.method === "POST" && pathname === "/token") return await grant(request)
        if (request.method === "POST" && pathname === `/v1/projects/${PROJECT}/messages:send`)
          return await take(request)
        return new Response("Not found.", { status: 404 })
      } finally {
        underWay -= 1
      }
    },
  }

  /** RFC 7523: the assertion's signature, its issuer, its audience, its scope and its times. */
  async function grant(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    if (provider.token) return provider.token()
    if (form.get("grant_type") !== GRANT) return oauthFault("unsupported_grant_type")
    try {
      const { payload } = await jwtVerify(form.get("assertion") ?? "", publicKey, {
        algorithms: ["RS256"],
        issuer: EMAIL,
        audience: tokenUri,
        requiredClaims: ["iat", "exp"],
      })
      if (payload.scope !== SCOPE || Number(payload.exp) - Number(payload.iat) > 3600)
        return oauthFault("invalid_scope")
    } catch {
      return oauthFault("invalid_grant", "Invalid JWT Signature.")
    }
    provider.grants += 1
    const token = `access-${provider.grants}-${crypto.randomUUID()}`
    good.add(token)
    return Response.json({ access_token: token, expires_in: 3600, token_type: "Bearer" })
  }

  async function take(request: Request): Promise<Response> {
    const { message, validate_only: isCheck } = (await request.json()) as { message: Sent; validate_only?: boolean }
    const name = message.token ?? message.topic ?? ""
    const asked = (provider.asked.get(name) ?? 0) + 1
    provider.asked.set(name, asked)
    const bearer = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "")?.[1]
    if (!bearer || !good.has(bearer)) return fcmFault(401, "UNAUTHENTICATED")
    const otherwise = await provider.message?.(message)
    if (otherwise) return otherwise
    const fault = faultOf(name, asked)
    if (fault) return fault
    const malformed = faultyData(message)
    if (malformed) return fcmFault(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", malformed)
    if (!isCheck) provider.accepted.push(message)
    return Response.json({ name: `projects/${PROJECT}/messages/${crypto.randomUUID()}` })
  }
  return provider
}

/** What a device's token stands for, by how it begins: `unregistered-1`. Any other is a device that can be reached. */
const FAULTS: Record<string, (asked: number) => Response | null | Promise<Response>> = {
  unregistered: () => fcmFault(404, "NOT_FOUND", "UNREGISTERED"),
  unknown: () => fcmFault(404, "NOT_FOUND"),
  invalid: () => fcmFault(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "message.token"),
  refused: () => fcmFault(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
  field: () => fcmFault(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "message.notification.image"),
  foreign: () => fcmFault(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
  apns: () => fcmFault(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
  denied: () => fcmFault(403, "PERMISSION_DENIED"),
  expired: () => fcmFault(401, "UNAUTHENTICATED"),
  quota: () => fcmFault(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", undefined, { "Retry-After": "30" }),
  slow: (asked) =>
    asked > 1 ? null : fcmFault(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", undefined, { "Retry-After": "30" }),
  down: () => fcmFault(503, "UNAVAILABLE", "UNAVAILABLE"),
  shaky: (asked) => (asked > 1 ? null : fcmFault(500, "INTERNAL", "INTERNAL")),
  hangs: () => new Promise(() => undefined),
  page: () => new Response("<!doctype html><title>Not found</title>", { status: 404 }),
}

const faultOf = (name: string, asked: number) => FAULTS[/^[a-z]+(?=-)/.exec(name)?.[0] ?? ""]?.(asked) ?? null

/** The field of `data` that is no text. */
const faultyData = ({ data }: Sent): string | undefined => {
  const wrong = Object.entries(data).find(([, value]) => typeof value !== "string")
  return wrong && `message.data[${wrong[0]}]`
}

const oauthFault = (error: string, description?: string) =>
  Response.json({ error, ...(description && { error_description: description }) }, { status: 400 })

/** An error as the provider words it: https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function fcmFault(
  code: number,
  status: string,
  errorCode?: string,
  field?: string,
  headers: Record<string, string> = {},
): Response {
  const details = [
    ...(errorCode ? [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }] : []),
    ...(field
      ? [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field, description: "Invalid value" }],
          },
        ]
      : []),
  ]
  return Response.json(
    { error: { code, message: `The request failed: ${status}.`, status, details } },
    { status: code, headers },
  )
}
