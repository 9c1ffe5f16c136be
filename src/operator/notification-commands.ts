// CLI commands for a site's notifications and push settings.
import * as z from "zod"
import { countAudience } from "../content/notifications/audience"
import { cancelNotification } from "../content/notifications/cancel"
import { createNotification } from "../content/notifications/create"
import { getNotification, listNotifications } from "../content/notifications/operator-list"
import { CreateNotification, notificationSummary } from "../content/notifications/schemas"
import { checkPush } from "../content/push/check"
import { SavePush } from "../content/push/schemas"
import { readPushSettings, savePushSettings } from "../content/push/settings"
import { loadSite } from "../content/site"
import { shortText } from "../core/http/validation"
import { type Command, command } from "./command"
import { secretOption } from "./options"

const site = shortText(63).default("central").describe("Store ID, or central for the platform's own site")
const rowId = z.coerce.number().int().positive()

const terms = CreateNotification.shape

const target = terms.target.describe("Audience: all, android, ios or customers")

const SendNotification = z.object({
  site,
  title: terms.title.describe("Title, up to 100 characters"),
  message: terms.message.describe("Message, up to 500 characters"),
  target,
  type: terms.type.describe("Type: general, order, promotion or system"),
  at: terms.at.describe("Time to send it, such as 2026-12-24T08:00:00Z; now by default"),
  "action-url": terms.action_url.describe("URL to open when the notification is tapped"),
  "image-url": terms.image_url.describe("URL of the image in the notification"),
})

const PushSettings = z.object({
  site,
  enabled: SavePush.shape.enabled.describe("Whether push notifications are enabled"),
  service_account: secretOption(SavePush.shape.service_account.describe("Content of the service account's JSON file")),
})

export const notificationCommands: Record<string, Command> = {
  "api:send-notification": command(
    "Send or schedule a notification to a site's users",
    SendNotification,
    async (ctx, input) => {
      const { site: id, "action-url": action_url, "image-url": image_url, ...rest } = input
      const notification = await createNotification(ctx, await loadSite(ctx, id), { ...rest, action_url, image_url })
      return notificationSummary(notification)
    },
  ),
  "notifications:list": command(
    "List a site's notifications, newest first",
    z.object({ site, page: z.coerce.number().int().min(1).max(1_000_000).default(1).describe("Page number") }),
    async (ctx, { site: id, page }) =>
      (await listNotifications(await loadSite(ctx, id), page)).rows.map(notificationSummary),
  ),
  "notifications:show": command(
    "Show a notification's progress and delivery errors",
    z.object({ site, id: rowId.describe("Notification ID") }),
    async (ctx, { site: siteId, id }) => {
      const { notification, failures } = await getNotification(await loadSite(ctx, siteId), id)
      return { ...notificationSummary(notification), failures }
    },
  ),
  "notifications:audience": command(
    "Count the users and devices that a notification would reach",
    z.object({ site, target }),
    async (ctx, { site: id, target }) => ({
      site: id,
      target,
      ...(await countAudience(await loadSite(ctx, id), target)),
    }),
  ),
  "notifications:cancel": command(
    "Cancel a scheduled notification",
    z.object({ site, id: rowId.describe("Notification ID") }),
    async (ctx, { site: siteId, id }) =>
      notificationSummary(await cancelNotification(ctx, await loadSite(ctx, siteId), id)),
  ),
  "push:settings": command(
    "Show or update a site's push settings",
    PushSettings,
    async (ctx, { site: id, ...input }) => {
      const found = await loadSite(ctx, id)
      return Object.values(input).some((value) => value !== undefined)
        ? savePushSettings(ctx, found, input)
        : readPushSettings(found)
    },
  ),
  "push:check": command(
    "Verify a site's push credentials, or send a test notification to a device",
    z.object({ site, device: rowId.optional().describe("Device ID") }),
    async (ctx, { site: id, device }) => checkPush(ctx, await loadSite(ctx, id), device),
  ),
}
