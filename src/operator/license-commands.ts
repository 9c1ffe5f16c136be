// CLI commands for the license manager's API keys and settings.
import * as z from "zod"
import { withLookups } from "../core/http/validation"
import { CreateLicenseKey, licenseKeyResource, RevokeLicenseKey } from "../license/keys/schemas"
import { createLicenseKey, listLicenseKeys, revokeLicenseKey } from "../license/keys/service"
import { getPublicKeys } from "../license/offline/key"
import { SaveSettings, saveSettings } from "../license/settings"
import { type Command, command } from "./command"
import { secretOption } from "./options"

const keySettings = SaveSettings.shape

export const licenseCommands: Record<string, Command> = {
  "license-keys:create": command(
    "Create an external or internal license manager API key; you won't be able to see it again",
    withLookups(CreateLicenseKey.extend({ key: secretOption(CreateLicenseKey.shape.key) }), "expires", "scopes", "key"),
    async (ctx, input) => {
      const { key, plaintext } = await createLicenseKey(ctx, input)
      return { ...licenseKeyResource(key, ctx.now), key: plaintext }
    },
  ),
  "license-keys:list": command("List license manager API keys", z.object({}), async (ctx) =>
    (await listLicenseKeys(ctx)).map((key) => licenseKeyResource(key, ctx.now)),
  ),
  "license-keys:revoke": command("Revoke a license manager API key", RevokeLicenseKey, async (ctx, { id }) =>
    licenseKeyResource(await revokeLicenseKey(ctx, id), ctx.now),
  ),
  "license-signing-key:show": command(
    "Show the public key that verifies update files and offline license files",
    z.object({}),
    async (ctx) => {
      const { keys, pem } = await getPublicKeys(ctx)
      const [{ kid, x = "" } = { kid: "" }] = keys
      const trusted = Uint8Array.fromBase64(x, { alphabet: "base64url" }).toBase64()
      return { kid, wordpress_trusted_key: trusted, pem }
    },
  ),
  "license-settings": command(
    "Show or update the license manager's settings",
    SaveSettings.extend({
      lm_license_encryption_key: secretOption(keySettings.lm_license_encryption_key),
      lm_legacy_encryption_key: secretOption(keySettings.lm_legacy_encryption_key),
    }),
    saveSettings,
  ),
}
