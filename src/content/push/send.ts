// One message to one device.
import type { Ctx } from "../../core/context"
import type { Access } from "./access"
import { type Outcome, outcomeOf } from "./outcome"
import { ask } from "./request"

/**
 * Sends a message, with a new access token when the provider does not take the one that is known.
 * @param request `{message}`, with `validate_only` where nothing is to be sent
 */
export async function send(
  ctx: Pick<Ctx, "settings">,
  access: Access,
  projectId: string,
  request: { message: object; validate_only?: boolean },
): Promise<Outcome> {
  const url = `${ctx.settings.FCM_BASE_URL}/v1/projects/${encodeURIComponent(projectId)}/messages:send`
  const body = JSON.stringify(request)
  let rejected: string | undefined
  for (let attempt = 1; ; attempt++) {
    const grant = await access.grant(rejected)
    if ("refused" in grant) return { kind: "stop", stop: grant.refused }
    if ("unanswered" in grant) return { kind: "later", reason: "unavailable", retryAfter: grant.retryAfter }
    const headers = { Authorization: `Bearer ${grant.token}`, "Content-Type": "application/json" }
    const outcome = outcomeOf(await ask(url, { method: "POST", headers, body }))
    if (outcome.kind !== "unauthorized") return outcome
    if (attempt === 2) return { kind: "failed", reason: "unauthorized" }
    rejected = grant.token
  }
}
