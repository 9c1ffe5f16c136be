// What cannot be taken back, all of it in one table: each of these asks for the password or a passkey again, ten minutes after one was
// last shown, whatever page it stands on.

/** The path of a POST, with `:` for a segment of its own; and what is dangerous about it. */
const DANGERS: Record<string, string> = {
  "/console/stores/:/delete": "a store goes with its data",
  "/console/stores/:/support": "somebody else's store is entered",
  "/console/orders/:/approve": "money counts as received",
  "/console/keys": "a key of the control plane is made",
  "/console/keys/:/revoke": "whoever has the key is cut off",
  "/console/webhooks": "a signing secret is made and shown",
  "/console/webhooks/:/delete": "an endpoint goes with its deliveries",
  "/console/webhooks/:/rotate-secret": "a signing secret is made and shown",
  "/console/sites/:/tokens": "a token of a site is made",
  "/console/sites/:/tokens/:/revoke": "whoever has the token is cut off",
  "/console/sites/:/settings/key": "whoever has the site's key is cut off",
  "/console/sites/:/notifications/push": "a service account is stored",
  "/console/license-keys": "a key of the license manager is made",
  "/console/license-keys/:/revoke": "whoever has the key is cut off",
  "/console/license-settings": "the cipher of every license file is chosen",
  "/console/license-settings/keys": "the keys of license files are stored",
  "/console/operators": "somebody may do all of this",
  "/console/operators/:/edit": "somebody may do all of this, or no longer",
  "/console/operators/:/delete": "somebody may no longer sign in",
  "/console/account/totp": "a second factor is begun",
  "/console/account/totp/enable": "a second factor is switched on",
  "/console/account/totp/delete": "a second factor is switched off",
  "/console/account/passkeys": "a way to sign in is added",
  "/console/account/passkeys/:/delete": "a way to sign in is taken away",
  "/console/system/billing": "the billing clock runs",
  "/console/system/cron": "a part of the cron runs, which may be the billing clock",
}

const PATTERNS = Object.keys(DANGERS).map((path) => new RegExp(`^${path.replaceAll(":", "[^/]+")}$`))

/** Whether a POST to a path is among them. */
export const isDangerous = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path))
