// Handles POST /webhooks/<provider> on the central host: receives the messages of the card providers. Verifies the
// signature first.
import { parseJson, readText } from "../../core/http/body"
import { hostOf } from "../../core/http/host"
import { httpError, Refusal } from "../../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { assertNever } from "../../lib/assert-never"
import { refuse, STATUS_BY_CODE } from "../envelope"
import type { PlatformCode } from "../refusal-messages"
import { deleteExpiredCheckout } from "./checkouts"
import type { CardProvider } from "./provider"
import { CARD_PROVIDERS } from "./providers"
import { receiveMessage } from "./receive"
import { replaceMessageIds, toReference } from "./references"

/** Creates the surface with one route per provider. */
export function createProviderWebhooks(providers: readonly CardProvider[]) {
  const surface = createSurface<SurfaceEnv, PlatformCode>({
    name: "provider",
    base: "/webhooks",
    gate: [
      async (c, next) => {
        if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
        await next()
      },
    ],
    maxBody: 1_000_000,
    codes: STATUS_BY_CODE,
    refuse,
  })
  for (const provider of providers) {
    surface.post(`/${provider.name}`, async (c) => {
      const body = await readText(c)
      const ctx = requestContext(c, { interface: "system" })
      const request = { headers: c.req.raw.headers, body, receivedAt: ctx.now }
      if (!(await provider.isSigned(ctx.settings, request))) throw new Refusal("invalid_signature")
      const content = provider.parseWebhook(parseJson(body))
      switch (content.kind) {
        case "unreadable":
          throw httpError(400)
        case "checkout_expired":
          await deleteExpiredCheckout(ctx, toReference(provider, content.session))
          break
        case "message":
          await receiveMessage(ctx, replaceMessageIds(provider, content.message))
          break
        case "ignored":
          break
        default:
          assertNever(content)
      }
      return c.json({ received: true })
    })
  }
  return surface
}

export const providerWebhooks = createProviderWebhooks(Object.values(CARD_PROVIDERS))
