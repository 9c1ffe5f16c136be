// Why a notification did not reach devices, in sentences for an administrator.
import type { PushNote, Stop } from "../../db/schema/sites/notifications"
import type { FailureReason } from "../../db/schema/sites/push"

const STOPS: Record<Stop["code"], string> = {
  account_refused:
    "The push provider does not accept this site's service account. Make a new key for it at the provider and save it with push:settings.",
  account_unreadable: "The service account was stored under another APP_KEY. Save it again with push:settings.",
  project_refused:
    "The service account may not send messages for its project. Give it the role for Cloud Messaging at the provider, or save the right account.",
  field_refused: "The push provider does not accept a field of the message.",
  message_refused:
    "The push provider accepted this message for none of the first 20 devices. Nothing else was sent, and no device was deleted.",
  not_set_up: "The service account was removed while this was being sent.",
  switched_off: "Push was switched off while this was being sent.",
}

const NOTES: Record<PushNote, string> = {
  not_set_up: "Push is not set up for this site, so nothing was sent to devices.",
  switched_off: "Push is switched off for this site, so nothing was sent to devices.",
}

/** What each reason means, for those who look at how many devices failed. */
export const FAILURES: Record<FailureReason, string> = {
  unregistered: "The app was removed; the device is deleted.",
  invalid_token: "The push provider knows no such device; it is deleted once that is certain.",
  sender_mismatch: "The device belongs to another project; it is deactivated.",
  apns_key: "The provider's key for iOS apps is missing or no longer good.",
  unauthorized: "The push provider did not take the access token.",
  slowed_down: "The push provider kept asking to slow down.",
  unavailable: "The push provider kept failing, or did not answer.",
  unexpected: "The push provider answered what nobody knows.",
  gone: "The device was deleted before its turn.",
}

/** Why a notification failed, with the provider's own words; null for one that did not. */
export const stopSentence = (stop: Stop | null): string | null =>
  stop && STOPS[stop.code] + (stop.detail ? ` (${stop.detail})` : "")

/** Why nothing was sent to devices; null where something was, or will be. */
export const noteSentence = (note: PushNote | null): string | null => note && NOTES[note]
