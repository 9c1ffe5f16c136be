// Lists retired identifiers, each with its replacement and the reason.

/** Words that no identifier may contain. */
export const RETIRED_WORDS: Record<string, string> = {
  anew: "use again, or a verb with re-",
  asker: "use caller",
  beside: "use parallel, next to or additional",
  bookkeep: "use writeUnaudited",
  deed: "use action",
  deeds: "use actions",
  foresee: "use preview",
  foreseen: "use previewed",
  nobody: "use anonymous or unauthenticated",
  patience: "use timeout, TTL or grace period",
  sought: "use matching or requested",
  stranger: "use anonymous or unauthenticated",
  told: "use notified, reported or read",
  untold: "use unaudited",
  whoever: "name the actor",
}

/** Identifiers that were replaced. */
export const RETIRED_NAMES: Record<string, string> = {

}
