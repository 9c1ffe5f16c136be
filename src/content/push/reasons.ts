// Explanations for administrators of why a notification did not reach devices.
import type { PushNote, Stop } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"

const STOP_DESCRIPTIONS: Record<Stop["code"], string> = {
  account_refused:
    "The push provider does not accept this site's service account. Create a new key for it and save it with push:settings.",
  account_unreadable: "The service account was encrypted with another APP_KEY. Save it again with push:settings.",
  project_refused:
    "The service account may not send messages for its project. Grant it the Cloud Messaging role, or save another account.",
  field_refused: "The push provider does not accept a field of the message.",
  message_refused:
    "The push provider rejected this message for the first 20 devices. Sending was stopped, and no device was deleted.",
  not_set_up: "The service account was removed while the notification was being sent.",
  switched_off: "Push was switched off while the notification was being sent.",
}

const PUSH_NOTE_DESCRIPTIONS: Record<PushNote, string> = {
  not_set_up: "Push is not set up for this site, so nothing was sent to devices.",
  switched_off: "Push is switched off for this site, so nothing was sent to devices.",
}

/** Explanation of each reason that a device failed. */
export const FAILURE_DESCRIPTIONS: Record<FailureReason, string> = {
  unregistered: "The app was removed from the device. The device was deleted.",
  invalid_token: "The push provider does not know the device. It is deleted once this is confirmed.",
  sender_mismatch: "The device belongs to another project. It was deactivated.",
  apns_key: "The provider's key for iOS apps is missing or no longer valid.",
  unauthorized: "The push provider rejected the access token.",
  slowed_down: "The push provider's rate limit was exceeded, also after retries.",
  unavailable: "The push provider failed or did not respond, also after retries.",
  unexpected: "The push provider returned an unexpected response.",
  gone: "The device was deleted before the notification was sent to it.",
}

/** Explains why a notification failed, with the provider's error message; null if it did not fail. */
export const describeStop = (stop: Stop | null): string | null =>
  stop && STOP_DESCRIPTIONS[stop.code] + (stop.detail ? ` (${stop.detail})` : "")

/** Explains why no push was sent; null if one was, or will be. */
export const describePushNote = (note: PushNote | null): string | null => note && PUSH_NOTE_DESCRIPTIONS[note]
