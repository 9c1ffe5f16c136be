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
import { shortText } from "../core/http/validation"
import { type Command, command } from "./command"

const site = shortText(63).default("central").describe("Store ID, or central for the platform's own site")

export const siteCommands: Record<string, Command> = {
  "site:settings": command(
    "Show or update a site's API settings",
    z.object({ site, ...UpdateSiteSettings.shape }),
    async (ctx, { site: id, ...changes }) =>
      settingsResource(
        Object.values(changes).some((value) => value !== undefined)
          ? await updateSiteSettings(ctx, id, changes)
          : await readSiteSettings(ctx, id),
      ),
  ),
  "site:api-key": command(
    "Generate a new API key for a site and revoke the old one; you won't be able to see it again",
    z.object({ site }),
    async (ctx, { site: id }) => ({ site: id, key: await regenerateApiKey(ctx, id) }),
  ),
  "site-tokens:create": command(
    "Create a named server token; you won't be able to see it again",
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
    "Revoke a server token",
    z.object({ site, id: z.coerce.number().int().positive().describe("Server token ID") }),
    async (ctx, { site: siteId, id }) => serverTokenResource(await revokeServerToken(ctx, siteId, id)),
  ),
}
