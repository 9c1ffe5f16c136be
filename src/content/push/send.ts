// Sends a message to one device.

import type { Ctx } from "../../core/context"
import { serviceUrl } from "../../core/outbound/fetch"
import type { AccessTokens } from "./access-tokens"
import { type Outcome, parseOutcome } from "./outcome"
import { requestProvider } from "./request"

/**
 * Sends a message. When the provider rejects the access token, retries once with a new one.
 * @param request `{message}`; with `validate_only` the provider only validates it
 */
export async function send(
  ctx: Pick<Ctx, "settings">,
  tokens: AccessTokens,
  projectId: string,
  request: { message: object; validate_only?: boolean },
): Promise<Outcome> {
  const url = serviceUrl(ctx.settings.FCM_BASE_URL, `/v1/projects/${encodeURIComponent(projectId)}/messages:send`)
  const body = JSON.stringify(request)
  let rejected: string | undefined
  for (let attempt = 1; ; attempt++) {
    const accessToken = await tokens.get(rejected)
    if ("refused" in accessToken) return { kind: "stop", stop: accessToken.refused }
    if ("isUnavailable" in accessToken)
      return { kind: "later", reason: "unavailable", retryAfter: accessToken.retryAfter }
    const headers = { Authorization: `Bearer ${accessToken.token}`, "Content-Type": "application/json" }
    const outcome = parseOutcome(await requestProvider(url, { method: "POST", headers, body }))
    if (outcome.kind !== "unauthorized") return outcome
    if (attempt === 2) return { kind: "failed", reason: "unauthorized" }
    rejected = accessToken.token
  }
}
