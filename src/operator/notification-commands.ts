// CLI commands for a site's notifications and push settings.
import * as z from "zod"
import { countAudience } from "../content/notifications/audience"
import { cancelNotification } from "../content/notifications/cancel"
import { createNotification } from "../content/notifications/create"
import { getNotification, listNotifications } from "../content/notifications/operator-list"
import { CreateNotification, notificationSummary } from "../content/notifications/schemas"
import { CheckPush, checkPush } from "../content/push/check"
import { SavePush } from "../content/push/schemas"
import { readPushSettings, savePushSettings } from "../content/push/settings"
import { withLookups } from "../core/http/validation"
import type { Command } from "./command"
import { secretOption } from "./options"
import { siteCommand } from "./site-command"

const rowId = z.coerce.number().int().positive()

const terms = CreateNotification.shape

const target = terms.target.describe("Audience")

/** The options, whose names have hyphens; errors name the fields. */
const SendNotification = withLookups(
  z.object({
    title: terms.title.describe("Title, up to 100 characters"),
    message: terms.message.describe("Message, up to 500 characters"),
    target,
    type: terms.type.describe("Type"),
    at: terms.at.describe("Time to send it, such as 2026-12-24T08:00:00Z; now by default"),
    "action-url": terms.action_url.describe("URL to open when the notification is tapped"),
    "image-url": terms.image_url.describe("URL of the image in the notification"),
  }),
  "at",
)

const PushSettings = withLookups(
  z.object({
    enabled: SavePush.shape.enabled.describe("Whether push notifications are enabled"),
    service_account: secretOption(
      SavePush.shape.service_account.describe("Content of the service account's JSON file"),
    ),
  }),
  "service_account",
)

const ById = z.object({ id: rowId.describe("Notification ID") })

export const notificationCommands: Record<string, Command> = {
  "api:send-notification": siteCommand(
    "Send or schedule a notification to a site's users",
    SendNotification,
    async (ctx, site, input) =>
      notificationSummary(
        await createNotification(
          ctx,
          site,
          input.map(({ "action-url": action_url, "image-url": image_url, ...fields }) => ({
            ...fields,
            action_url,
            image_url,
          })),
        ),
      ),
  ),
  "notifications:list": siteCommand(
    "List a site's notifications, newest first",
    z.object({ page: z.coerce.number().int().min(1).max(1_000_000).default(1).describe("Page number") }),
    async (_ctx, site, { page }) => (await listNotifications(site, page)).rows.map(notificationSummary),
  ),
  "notifications:show": siteCommand(
    "Show a notification's progress and delivery errors",
    ById,
    async (_ctx, site, { id }) => {
      const { notification, failures } = await getNotification(site, id)
      return { ...notificationSummary(notification), failures }
    },
  ),
  "notifications:audience": siteCommand(
    "Count the users and devices that a notification would reach",
    z.object({ target }),
    async (_ctx, site, { target }) => ({ site: site.id, target, ...(await countAudience(site, target)) }),
  ),
  "notifications:cancel": siteCommand("Cancel a scheduled notification", ById, async (ctx, site, { id }) =>
    notificationSummary(await cancelNotification(ctx, site, id)),
  ),
  "push:settings": siteCommand("Show or update a site's push settings", PushSettings, async (ctx, site, input) =>
    input.hasErrors || Object.keys(PushSettings.shape).some((name) => Object.hasOwn(input.valid, name))
      ? savePushSettings(ctx, site, input)
      : readPushSettings(site),
  ),
  "push:check": siteCommand(
    "Verify a site's push credentials, or send a test notification to a device",
    CheckPush,
    checkPush,
  ),
}
