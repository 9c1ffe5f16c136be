// Commands about one site's API: its switches, its keys, and what it tells its users.
import * as z from "zod"
import { CreateServerToken, serverTokenResource, settingsResource, UpdateSiteSettings } from "../content/keys/schemas"
import {
  createServerToken,
  listServerTokens,
  readSiteSettings,
  regenerateApiKey,
  revokeServerToken,
  updateSiteSettings,
} from "../content/keys/service"
import { createNotification } from "../content/notifications/create"
import { CreateNotification, notificationSummary } from "../content/notifications/schemas"
import { siteById } from "../content/site"
import { shortText } from "../core/validation"
import { type Command, command } from "./command"

const site = shortText(63).default("central").describe("a store's id, or central")

const SendNotification = z.object({
  site,
  title: CreateNotification.shape.title.describe("at most 100 characters"),
  message: CreateNotification.shape.message.describe("at most 500 characters"),
  target: CreateNotification.shape.target.describe("all, android, ios or customers"),
  type: CreateNotification.shape.type.describe("general, order, promotion or system"),
  at: CreateNotification.shape.at.describe("when to send it, e.g. 2026-12-24T08:00:00Z; now when absent"),
  "action-url": CreateNotification.shape.action_url.describe("opened when tapped"),
  "image-url": CreateNotification.shape.image_url.describe("shown in the notification"),
})

export const siteCommands: Record<string, Command> = {
  "api:send-notification": command("Send a notification to users of a site", SendNotification, async (ctx, input) => {
    const { site: id, "action-url": action_url, "image-url": image_url, ...rest } = input
    const notification = await createNotification(ctx, await siteById(ctx, id), { ...rest, action_url, image_url })
    return notificationSummary(notification)
  }),
  "site:settings": command(
    "Show a site's API settings, and change those that are given",
    z.object({ site, ...UpdateSiteSettings.shape }),
    async (ctx, { site: id, ...changes }) =>
      settingsResource(
        Object.values(changes).some((value) => value !== undefined)
          ? await updateSiteSettings(ctx, id, changes)
          : await readSiteSettings(ctx, id),
      ),
  ),
  "site:api-key": command(
    "Make a new API key for a site; it is shown this once, and the old one is no good any more",
    z.object({ site }),
    async (ctx, { site: id }) => ({ site: id, key: await regenerateApiKey(ctx, id) }),
  ),
  "site-tokens:create": command(
    "Issue a named server token; it is shown this once",
    z.object({ site, ...CreateServerToken.shape }),
    async (ctx, { site: id, ...input }) => {
      const { token, plaintext } = await createServerToken(ctx, id, input)
      return { ...serverTokenResource(token), token: plaintext }
    },
  ),
  "site-tokens:list": command("List a site's server tokens", z.object({ site }), async (ctx, { site: id }) =>
    (await listServerTokens(ctx, id)).map(serverTokenResource),
  ),
  "site-tokens:revoke": command(
    "Delete a server token",
    z.object({ site, id: z.coerce.number().int().positive() }),
    async (ctx, { site: siteId, id }) => serverTokenResource(await revokeServerToken(ctx, siteId, id)),
  ),
}
