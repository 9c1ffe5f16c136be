// CLI commands for a site's API settings, API key and server tokens.
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
import { resetSecondFactor } from "../content/staff/lost-factors"
import { shortText, withLookups } from "../core/http/validation"
import { type Command, command } from "./command"
import { requireSiteId, siteCommand, siteOption } from "./site-command"

const SiteSettings = withLookups(z.object({ site: siteOption, ...UpdateSiteSettings.shape }), "site", "require-key")

export const siteCommands: Record<string, Command> = {
  "site:settings": command("Show or update a site's API settings", SiteSettings, async (ctx, input) => {
    const id = await requireSiteId(ctx, input)
    const isRead = !input.hasErrors && Object.keys(input.valid).every((name) => name === "site")
    return settingsResource(
      isRead ? await readSiteSettings(ctx, id) : await updateSiteSettings(ctx, id, input.with({ site: null })),
    )
  }),
  "site:api-key": command(
    "Generate a new API key for a site and revoke the old one; you won't be able to see it again",
    z.object({ site: siteOption }),
    async (ctx, { site: id }) => ({ site: id, key: await regenerateApiKey(ctx, id) }),
  ),
  "site-tokens:create": command(
    "Create a named server token; you won't be able to see it again",
    withLookups(z.object({ site: siteOption, ...CreateServerToken.shape }), "site"),
    async (ctx, input) => {
      const id = await requireSiteId(ctx, input)
      const { token, plaintext } = await createServerToken(ctx, id, input.complete({ site: null }))
      return { ...serverTokenResource(token), token: plaintext }
    },
  ),
  "site-tokens:list": command(
    "List a site's server tokens",
    z.object({ site: siteOption }),
    async (ctx, { site: id }) => (await listServerTokens(ctx, id)).map(serverTokenResource),
  ),
  "site-tokens:revoke": command(
    "Revoke a server token",
    z.object({ site: siteOption, id: z.coerce.number().int().positive().describe("Server token ID") }),
    async (ctx, { site: siteId, id }) => serverTokenResource(await revokeServerToken(ctx, siteId, id)),
  ),
  "staff:reset-second-factor": siteCommand(
    "Remove the second factor and the passkeys of a member of a site's staff, and end the member's logins",
    z.object({ email: shortText(255).describe("The member's email address") }),
    async (ctx, { id }, { email }) => ({ site: id, ...(await resetSecondFactor(ctx, id, email)) }),
  ),
}
