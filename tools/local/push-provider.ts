// Mocks the push provider: Firebase Cloud Messaging (HTTP v1) and the token endpoint of its service accounts. It
// verifies assertions and access tokens, records the messages and returns every documented error. The tests, the
// benchmark and `npm start -- --demo-push` share it.
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose"

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const PROJECT = "demo-project"
const EMAIL = "push@demo-project.example"

/** A message as received. */
interface PushMessage {
  token?: string
  topic?: string
  notification: { title: string; body: string; image?: string }
  data: Record<string, string>
  android: { notification: { tag: string } }
  apns: { headers: Record<string, string> }
}

export interface PushProvider {
  /** JSON of the accepted service account. */
  serviceAccount: string
  /** Accepted messages, in order. */
  accepted: PushMessage[]
  /** Number of send requests by device token. */
  asked: Map<string, number>
  /** Number of access tokens issued. */
  issuedTokens: number
  /** Highest number of concurrent requests. */
  maxInFlight: number
  /** Overrides the response of the token endpoint. */
  overrideToken: (() => Response | Promise<Response>) | null
  message: ((sent: PushMessage) => Response | undefined | Promise<Response | undefined>) | null
  /** Rejects the access tokens issued so far. */
  revokeTokens(): void
  respond(request: Request): Promise<Response>
}

/** Generated once, because it is slow. */
let keyPair: ReturnType<typeof generateKeyPair> | undefined

/**
 * Creates a provider with one service account.
 * @param base its URL, e.g. `http://127.0.0.1:9000`
 */
export async function createPushProvider(base: string): Promise<PushProvider> {
  keyPair ??= generateKeyPair("RS256", { extractable: true })
  const { publicKey, privateKey } = await keyPair
  const tokenUri = `${base}/token`
  let validTokens = new Set<string>()
  let inFlight = 0
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
    issuedTokens: 0,
    maxInFlight: 0,
    overrideToken: null,
    message: null,
    revokeTokens: () => {
      validTokens = new Set()
    },
    async respond(request) {
      inFlight += 1
      provider.maxInFlight = Math.max(provider.maxInFlight, inFlight)
      try {
        const { pathname } = new URL(request.url)
        if (request.method === "POST" && pathname === "/token") return await issueToken(request)
        if (request.method === "POST" && pathname === `/v1/projects/${PROJECT}/messages:send`)
          return await acceptMessage(request)
        return new Response("Not found.", { status: 404 })
      } finally {
        inFlight -= 1
      }
    },
  }

  /** Verifies the assertion's signature, issuer, audience, scope and lifetime (RFC 7523). */
  async function issueToken(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    if (provider.overrideToken) return provider.overrideToken()
    if (form.get("grant_type") !== GRANT) return createOauthError("unsupported_grant_type")
    try {
      const { payload } = await jwtVerify(form.get("assertion") ?? "", publicKey, {
        algorithms: ["RS256"],
        issuer: EMAIL,
        audience: tokenUri,
        requiredClaims: ["iat", "exp"],
      })
      if (payload.scope !== SCOPE || Number(payload.exp) - Number(payload.iat) > 3600)
        return createOauthError("invalid_scope")
    } catch {
      return createOauthError("invalid_grant", "Invalid JWT Signature.")
    }
    provider.issuedTokens += 1
    const token = `access-${provider.issuedTokens}-${crypto.randomUUID()}`
    validTokens.add(token)
    return Response.json({ access_token: token, expires_in: 3600, token_type: "Bearer" })
  }

  async function acceptMessage(request: Request): Promise<Response> {
    const { message, validate_only: isCheck } = (await request.json()) as {
      message: PushMessage
      validate_only?: boolean
    }
    const name = message.token ?? message.topic ?? ""
    const requestCounts = (provider.asked.get(name) ?? 0) + 1
    provider.asked.set(name, requestCounts)
    const bearer = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "")?.[1]
    if (!bearer || !validTokens.has(bearer)) return createFcmError(401, "UNAUTHENTICATED")
    const overridden = await provider.message?.(message)
    if (overridden) return overridden
    const fault = findError(name, requestCounts)
    if (fault) return fault
    const malformed = findInvalidDataField(message)
    if (malformed) return createFcmError(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", malformed)
    if (!isCheck) provider.accepted.push(message)
    return Response.json({ name: `projects/${PROJECT}/messages/${crypto.randomUUID()}` })
  }
  return provider
}

/** Responses by the prefix of the device token, e.g. `unregistered-1`. Other devices are reachable. */
const ERRORS_BY_PREFIX: Record<string, (asked: number) => Response | null | Promise<Response>> = {
  unregistered: () => createFcmError(404, "NOT_FOUND", "UNREGISTERED"),
  unknown: () => createFcmError(404, "NOT_FOUND"),
  invalid: () => createFcmError(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "message.token"),
  refused: () => createFcmError(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
  field: () => createFcmError(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "message.notification.image"),
  foreign: () => createFcmError(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
  apns: () => createFcmError(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
  denied: () => createFcmError(403, "PERMISSION_DENIED"),
  expired: () => createFcmError(401, "UNAUTHENTICATED"),
  quota: () => createFcmError(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", undefined, { "Retry-After": "30" }),
  slow: (asked) =>
    asked > 1 ? null : createFcmError(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", undefined, { "Retry-After": "30" }),
  down: () => createFcmError(503, "UNAVAILABLE", "UNAVAILABLE"),
  shaky: (asked) => (asked > 1 ? null : createFcmError(500, "INTERNAL", "INTERNAL")),
  hangs: () => new Promise(() => undefined),
  page: () => new Response("<!doctype html><title>Not found</title>", { status: 404 }),
}

const findError = (name: string, asked: number) =>
  ERRORS_BY_PREFIX[/^[a-z]+(?=-)/.exec(name)?.[0] ?? ""]?.(asked) ?? null

/** Finds a field of `data` that is not a string. */
const findInvalidDataField = ({ data }: PushMessage): string | undefined => {
  const wrong = Object.entries(data).find(([, value]) => typeof value !== "string")
  return wrong && `message.data[${wrong[0]}]`
}

const createOauthError = (error: string, description?: string) =>
  Response.json({ error, ...(description && { error_description: description }) }, { status: 400 })

/** Builds an error response, see https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function createFcmError(
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
