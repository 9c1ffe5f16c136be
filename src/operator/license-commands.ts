// The operator's commands for the license manager: its API keys and its settings.
import * as z from "zod"
import { CreateLicenseKey, licenseKeyResource, RevokeLicenseKey } from "../license/keys/schemas"
import { createLicenseKey, listLicenseKeys, revokeLicenseKey } from "../license/keys/service"
import { SaveSettings, saveSettings } from "../license/settings"
import { type Command, command } from "./command"
import { secret } from "./options"

const keySettings = SaveSettings.shape

export const licenseCommands: Record<string, Command> = {
  "license-keys:create": command(
    "Issue a license manager API key, external or internal; it is shown this once",
    CreateLicenseKey.extend({ key: secret(CreateLicenseKey.shape.key) }),
    async (ctx, input) => {
      const { key, plaintext } = await createLicenseKey(ctx, input)
      return { ...licenseKeyResource(key, ctx.now), key: plaintext }
    },
  ),
  "license-keys:list": command("List the license manager's API keys", z.object({}), async (ctx) =>
    (await listLicenseKeys(ctx)).map((key) => licenseKeyResource(key, ctx.now)),
  ),
  "license-keys:revoke": command("Revoke a license manager API key", RevokeLicenseKey, async (ctx, { id }) =>
    licenseKeyResource(await revokeLicenseKey(ctx, id), ctx.now),
  ),
  "license-settings": command(
    "Show the license manager's settings, and change those that are given",
    SaveSettings.extend({
      lm_license_encryption_key: secret(keySettings.lm_license_encryption_key),
      lm_legacy_encryption_key: secret(keySettings.lm_legacy_encryption_key),
    }),
    saveSettings,
  ),
}
