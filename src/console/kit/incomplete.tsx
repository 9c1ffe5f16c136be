// Warns that a list is incomplete.
import { Note } from "../../page-kit/parts"
import { W } from "../strings"

/**
 * Warns that rows may be missing because combined filters scan a bounded number of rows.
 * @param scanned number of rows that were checked; null when the list is complete
 */
export function IncompleteResults({ scanned }: { scanned: number | null }) {
  return scanned === null ? null : <p class="sub">{W.common.incomplete(scanned)}</p>
}

/** Warns that deliveries are missing, because their databases did not respond. */
export const UnavailableDatabases = ({ names }: { names: readonly string[] }) =>
  names.length ? (
    <Note tone="warn" alert>
      {W.common.unavailable_databases(names.join(", "))}
    </Note>
  ) : null
