// Finds the place in the Worker's source that makes a call.

/** Frames that identify a call; outer frames are common to all requests. */
const CALL_SITE_FRAMES = 3

/** Lines of a stack trace. The default contains only the frames of the mocks. */
const STACK_LINES = 100

/**
 * Returns the innermost stack frames in the Worker's source.
 * @param isIncluded excludes frames that many calls share
 */
export function getCallSite(isIncluded: (location: string) => boolean = () => true): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = STACK_LINES
  const frames = new Error("stack trace").stack?.split("\n") ?? []
  Error.stackTraceLimit = limit
  const locations = frames.flatMap((frame) => /\/(src\/[^?\s)]+)/.exec(frame)?.[1] ?? [])
  return locations.filter(isIncluded).slice(0, CALL_SITE_FRAMES).join(" < ")
}
