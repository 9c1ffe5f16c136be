// Whether pushes would arrive: a message that is only validated, or a test to one device.
import { and, eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { deviceTokens } from "../../db/schema/sites/devices"
import type { SiteRef } from "../site"
import { Access } from "./access"
import type { Outcome } from "./outcome"
import { messageOf } from "./payload"
import { FAILURES, stopSentence } from "./reasons"
import { send } from "./send"
import { selectAccount } from "./settings"

/** Nobody listens to it; the provider validates a message only with somebody to send it to. */
const TOPIC = "tenancy-check"

/** What the test says, and looks like. */
const TEST = {
  id: 0,
  title: "Test",
  message: "Push notifications reach this device.",
  type: "system",
  actionUrl: null,
  imageUrl: null,
} as const

/**
 * Proves a site's account, its project and a message, whether or not pushes are switched on.
 * @param device the id of a device's row, which is sent a test; without it nothing is sent
 * @returns `reason` is null when all is well
 * @throws Refusal `validation_failed` about `device` for one that the site has not, or that is not active
 */
export async function checkPush(
  ctx: Ctx,
  site: SiteRef,
  device?: number,
): Promise<{ ok: boolean; reason: string | null }> {
  const token = device === undefined ? null : await tokenOf(site, device)
  const [account] = await selectAccount(site.db, site.id)
  if (!account) return { ok: false, reason: "Push is not set up for this site." }
  const message = messageOf(TEST, token === null ? { topic: TOPIC } : { token }, null)
  const access = new Access(ctx, site.db, account)
  const outcome = await send(ctx, access, account.projectId, {
    message,
    ...(token === null && { validate_only: true }),
  })
  const reason = reasonOf(outcome)
  await commitSite(ctx, site, {
    trail: [
      {
        subject: "push_settings",
        id: site.id,
        deed: "tested",
        data: { ok: reason === null, ...(device && { device }) },
      },
    ],
  })
  return { ok: reason === null, reason }
}

async function tokenOf({ id: siteId, db }: SiteRef, id: number): Promise<string> {
  const [device] = await db
    .select({ token: deviceTokens.token })
    .from(deviceTokens)
    .where(and(eq(deviceTokens.siteId, siteId), eq(deviceTokens.id, id), eq(deviceTokens.isActive, true)))
  if (!device) throw invalid("device", "selected")
  return device.token
}

function reasonOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case "sent":
      return null
    case "failed":
      return FAILURES[outcome.reason]
    case "unauthorized":
      return FAILURES.unauthorized
    case "refused":
      return "The push provider does not accept this message for this device: the token is no good."
    case "later":
      return outcome.reason === "slowed_down"
        ? "The push provider asks to slow down. Try again in a moment."
        : "The push provider does not answer. Try again in a moment."
    case "stop":
      return stopSentence(outcome.stop)
  }
}
