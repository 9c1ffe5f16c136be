// Commands about what a site tells its users, and how it reaches their devices.
import * as z from "zod"
import { countAudience } from "../content/notifications/audience"
import { cancelNotification } from "../content/notifications/cancel"
import { createNotification } from "../content/notifications/create"
import { listNotifications, showNotification } from "../content/notifications/operator-list"
import { CreateNotification, notificationSummary } from "../content/notifications/schemas"
import { checkPush } from "../content/push/check"
import { SavePush } from "../content/push/schemas"
import { readPushSettings, savePushSettings } from "../content/push/settings"
import { siteById } from "../content/site"
import { shortText } from "../core/http/validation"
import { type Command, command } from "./command"
import { secret } from "./options"

const site = shortText(63).default("central").describe("a store's id, or central")
const rowNumber = z.coerce.number().int().positive()

const terms = CreateNotification.shape

const SendNotification = z.object({
  site,
  title: terms.title.describe("at most 100 characters"),
  message: terms.message.describe("at most 500 characters"),
  target: terms.target.describe("all, android, ios or customers"),
  type: terms.type.describe("general, order, promotion or system"),
  at: terms.at.describe("when to send it, e.g. 2026-12-24T08:00:00Z; now when absent"),
  "action-url": terms.action_url.describe("opened when tapped"),
  "image-url": terms.image_url.describe("shown in the notification"),
})

const PushSettings = z.object({
  site,
  enabled: SavePush.shape.enabled.describe("true or false"),
  service_account: secret(SavePush.shape.service_account.describe("the service account's JSON file")),
})

export const notificationCommands: Record<string, Command> = {
  "api:send-notification": command("Send a notification to users of a site", SendNotification, async (ctx, input) => {
    const { site: id, "action-url": action_url, "image-url": image_url, ...rest } = input
    const notification = await createNotification(ctx, await siteById(ctx, id), { ...rest, action_url, image_url })
    return notificationSummary(notification)
  }),
  "notifications:list": command(
    "List a site's notifications, the newest first",
    z.object({ site, page: z.coerce.number().int().min(1).max(1_000_000).default(1) }),
    async (ctx, { site: id, page }) =>
      (await listNotifications(await siteById(ctx, id), page)).rows.map(notificationSummary),
  ),
  "notifications:show": command(
    "Show a notification: how far it has come, and why it failed for devices",
    z.object({ site, id: rowNumber }),
    async (ctx, { site: siteId, id }) => {
      const { notification, failures } = await showNotification(await siteById(ctx, siteId), id)
      return { ...notificationSummary(notification), failures }
    },
  ),
  "notifications:audience": command(
    "Count whom a notification to a target would reach",
    z.object({ site, target: terms.target.describe("all, android, ios or customers") }),
    async (ctx, { site: id, target }) => ({
      site: id,
      target,
      ...(await countAudience(await siteById(ctx, id), target)),
    }),
  ),
  "notifications:cancel": command(
    "Cancel a scheduled notification",
    z.object({ site, id: rowNumber }),
    async (ctx, { site: siteId, id }) =>
      notificationSummary(await cancelNotification(ctx, await siteById(ctx, siteId), id)),
  ),
  "push:settings": command(
    "Show how a site's pushes are set up, and change what is given",
    PushSettings,
    async (ctx, { site: id, ...input }) => {
      const found = await siteById(ctx, id)
      return Object.values(input).some((value) => value !== undefined)
        ? savePushSettings(ctx, found, input)
        : readPushSettings(found)
    },
  ),
  "push:check": command(
    "Prove a site's push account without sending anything, or send a test to one device",
    z.object({ site, device: rowNumber.optional().describe("the id of a device's record") }),
    async (ctx, { site: id, device }) => checkPush(ctx, await siteById(ctx, id), device),
  ),
}
