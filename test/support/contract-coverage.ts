// Records the documented responses that a test received, as `<api> <operation> <status> <code>`; the code is optional.

export const coveredResponses = new Set<string>()

/** Returns the responses recorded since the last call, and clears the record. */
export function takeCoveredResponses(): string[] {
  const covered = [...coveredResponses]
  coveredResponses.clear()
  return covered
}
