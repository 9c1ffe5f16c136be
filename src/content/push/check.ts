// Checks a site's push setup with a message that is only validated, or with a test message to one device.
import { and, eq } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { withLookups } from "../../core/http/validation"
import { commitSite } from "../../core/write/site-commit"
import { deviceTokens } from "../../db/schema/sites/devices"
import { assertNever } from "../../lib/assert-never"
import type { SiteRef } from "../site"
import { AccessTokens } from "./access-tokens"
import { readNotificationFormat } from "./format"
import type { Outcome } from "./outcome"
import { buildMessage } from "./payload"
import { describeStop, FAILURE_DESCRIPTIONS } from "./reasons"
import { send } from "./send"
import { selectAccount } from "./settings"

/** The input of a check. */
export const CheckPush = withLookups(
  z.object({ device: z.coerce.number().int().positive().optional().describe("Device ID") }),
  "device",
)

/** Topic without subscribers: the provider only validates a message that has a target. */
const VALIDATION_TOPIC = "tenancy-check"

/** Content of the test message. */
const TEST_NOTIFICATION = {
  id: 0,
  title: "Test",
  message: "Push notifications reach this device.",
  type: "system",
  actionUrl: null,
  imageUrl: null,
} as const

/**
 * Checks a site's service account, its project and a message, whether or not push is switched on.
 * @param input `device`: id of the device row that receives a test message; without it nothing is sent
 * @returns `reason` is null when the check passed
 * @throws Refusal `validation_failed` for `device` when the site has no active device with this id
 */
export async function checkPush(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof CheckPush>,
): Promise<{ ok: boolean; reason: string | null }> {
  const token = input.valid.device === undefined ? null : await findDeviceToken(site, input.valid.device)
  const { device } = input.complete({ device: token === undefined ? "selected" : null })
  const [account] = await selectAccount(site.db)
  if (!account) return { ok: false, reason: "Push is not set up for this site." }
  const options = { format: await readNotificationFormat(ctx, site.id), now: ctx.now }
  const message = buildMessage(TEST_NOTIFICATION, token ? { token } : { topic: VALIDATION_TOPIC }, null, options)
  const tokens = new AccessTokens(ctx, site.db, account)
  const outcome = await send(ctx, tokens, account.projectId, {
    message,
    ...(!token && { validate_only: true }),
  })
  const reason = describeOutcome(outcome)
  await commitSite(ctx, site, {
    auditLog: [
      {
        subject: "push_settings",
        id: site.id,
        action: "tested",
        data: { ok: reason === null, ...(device && { device }) },
      },
    ],
  })
  return { ok: reason === null, reason }
}

async function findDeviceToken({ db }: SiteRef, id: number): Promise<string | undefined> {
  const [device] = await db
    .select({ token: deviceTokens.token })
    .from(deviceTokens)
    .where(and(eq(deviceTokens.id, id), eq(deviceTokens.isActive, true)))
  return device?.token
}

function describeOutcome(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case "sent":
      return null
    case "failed":
      return FAILURE_DESCRIPTIONS[outcome.reason]
    case "unauthorized":
      return FAILURE_DESCRIPTIONS.unauthorized
    case "refused":
      return "The push provider does not accept this message for this device: the token is invalid."
    case "later":
      return outcome.reason === "slowed_down"
        ? "The push provider's rate limit was exceeded. Try again in a moment."
        : "The push provider does not respond. Try again in a moment."
    case "stop":
      return describeStop(outcome.stop)
    default:
      return assertNever(outcome)
  }
}
