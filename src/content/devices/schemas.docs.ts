// Documents the API fields of device tokens.
import { documentFields } from "../../core/http/field-docs"
import { ByToken, DeviceToken, RegisterDevice, UpdateDevice } from "./schemas"

const token = {
  description: "Registration token of Firebase Cloud Messaging.",
  example: "fYx1:APA91bHun4MxP5egoKMwt2KZFBaFUH",
}
const platform = { description: "Operating system of the device.", example: "android" }
const deviceId = { description: "Identifier that the app chose for the device.", example: "9d4e1c2a7b" }
const appVersion = { description: "Version of the app.", example: "2.4.0" }

documentFields(RegisterDevice, { token, platform, device_id: deviceId, app_version: appVersion })

documentFields(UpdateDevice, { platform, device_id: deviceId, app_version: appVersion })

documentFields(ByToken, { token })

documentFields(DeviceToken, {
  token,
  platform,
  app_version: appVersion,
  device_id: deviceId,
  is_active: { description: "Whether push notifications are sent to the device." },
  last_used_at: { description: "When the device last registered." },
})
