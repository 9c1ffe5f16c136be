// The notice that a page shows after a redirect: its color, and the action that undoes what happened.
import { W } from "./strings"

export type NoticeKey = keyof typeof W.notices

interface NoticeOptions {
  /** `good` unless something went wrong or became unavailable. */
  tone?: "good" | "bad" | "warn"
  /** The action that undoes it, as a path below the page that shows the notice. */
  undo?: string
  /** The fields of that action. */
  fields?: Record<string, string>
}

const NOTICE_OPTIONS: { [Key in NoticeKey]?: NoticeOptions } = {
  suspended: { tone: "warn", undo: "/resume" },
  resumed: { undo: "/suspend" },
  cancelled: { tone: "warn" },
  cancel_scheduled: { tone: "warn", undo: "/subscription/reactivate" },
  app_enabled: { undo: "/:subject/disable" },
  app_disabled: { tone: "warn", undo: "/:subject/enable" },
  product_activated: { undo: "/deactivate" },
  product_deactivated: { tone: "warn", undo: "/activate" },
  license_blocked: { tone: "warn", undo: "/unblock" },
  license_unblocked: { undo: "/block" },
  file_trashed: { tone: "warn", undo: "/files/:subject/restore" },
  folder_trashed: { tone: "warn", undo: "/folders/:subject/restore" },
  file_restored: { undo: "/files/:subject/trash" },
  folder_restored: { undo: "/folders/:subject/trash" },
  endpoint_on: { undo: "/edit", fields: { is_active: "false" } },
  endpoint_off: { tone: "warn", undo: "/edit", fields: { is_active: "true" } },
  form_restored: { tone: "warn" },
  retry_failed: { tone: "bad" },
  retry_released: { tone: "bad" },
  order_rejected: { tone: "warn" },
  order_cancelled: { tone: "warn" },
  review_hidden: { tone: "warn", undo: "/:subject/show" },
  review_shown: { undo: "/:subject/hide" },
  user_disabled: { tone: "warn", undo: "/enable" },
  user_enabled: { undo: "/disable" },
  user_erased: { tone: "warn" },
  notification_cancelled: { tone: "warn" },
  store_deleted: { tone: "warn" },
  deleted: { tone: "warn" },
  view_deleted: { tone: "warn" },
  revoked: { tone: "warn" },
  totp_off: { tone: "warn" },
  confirmed_upload: { tone: "warn" },
}

/** A subject is part of a path: an app's slug or a row's id. */
const SUBJECT = /^[\w-]{1,64}$/

export interface Notice {
  text: string
  tone: "good" | "bad" | "warn"
  /** The action that undoes what happened, and its fields; null if nothing does. */
  undo: { action: string; fields: Record<string, string> } | null
}

/** Returns the notice that a page's query asks for; null when it asks for none. */
export function findNotice(path: string, query: URLSearchParams): Notice | null {
  const key = query.get("done")
  if (!key || !Object.hasOwn(W.notices, key)) return null
  const { tone = "good", undo, fields = {} } = NOTICE_OPTIONS[key as NoticeKey] ?? {}
  const subject = query.get("subject") ?? ""
  const isKnown = undo && (SUBJECT.test(subject) || !undo.includes(":subject"))
  return {
    text: W.notices[key as NoticeKey],
    tone,
    undo: isKnown ? { action: path + undo.replace(":subject", subject), fields } : null,
  }
}

/**
 * Adds the notice that the target page shows after the redirect.
 * @param subject what the notice is about, if the path does not name it
 */
export function withNotice(path: string, notice: NoticeKey, subject?: string | number): string {
  const [before = "", hash = ""] = path.split("#")
  const about = subject === undefined ? "" : `&subject=${subject}`
  return `${before}${before.includes("?") ? "&" : "?"}done=${notice}${about}${hash && `#${hash}`}`
}
