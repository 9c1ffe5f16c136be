// Documents the API fields of user settings.
import { documentFields } from "../../core/http/field-docs"
import { UpdateSettings, UserSettings } from "./schemas"

const biometricEnabled = { description: "Whether the app unlocks with biometrics.", example: false }
const notificationEnabled = { description: "Whether the user receives push notifications.", example: true }
const language = { description: "Language tag (RFC 5646).", example: "en" }
const currency = { description: "ISO 4217 currency code.", example: "EUR" }
const timezone = { description: "Name in the IANA time zone database.", example: "Europe/Berlin" }

documentFields(UpdateSettings, {
  biometric_enabled: biometricEnabled,
  notification_enabled: notificationEnabled,
  language,
  currency,
  theme: { description: "Color scheme of the app.", example: "dark" },
  timezone,
})

documentFields(UserSettings, {
  biometric_enabled: biometricEnabled,
  notification_enabled: notificationEnabled,
  language,
  currency,
  theme: { description: "Color scheme of the app.", example: "light" },
  timezone,
})
