// Commands about one site's API: its switches and its keys.
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

const site = shortText(63).default("central").describe("a store's id, or central")

export const siteCommands: Record<string, Command> = {
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
