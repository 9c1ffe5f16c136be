// Shows moments on pages whose readers have no time zone set: as days in UTC. The tooltip has the time and names the
// zone. The console and the admin show moments in the reader's zone; see `page-kit/parts.tsx`.
import type { PropsWithChildren } from "hono/jsx"
import { longDate, utcDateTime } from "../../lib/intl"

interface MomentProps {
  at: Date
  /** Canonical tag. */
  locale: string
}

/** The day of a moment. */
export const UtcDay = ({ at, locale }: MomentProps) => (
  <time datetime={at.toISOString()} title={utcDateTime(at, locale)}>
    {longDate(at, locale)}
  </time>
)

/** A moment with its time. */
export const UtcMoment = ({ at, locale }: MomentProps) => (
  <time datetime={at.toISOString()}>{utcDateTime(at, locale)}</time>
)

/** A character that no text contains. */
const PLACEHOLDER = "\uFFFC"

/**
 * A sentence with a component in it, such as a moment.
 * @param of returns the sentence around a placeholder
 */
export function Sentence({ of: getText, children }: PropsWithChildren<{ of: (placeholder: string) => string }>) {
  const [before, after = ""] = getText(PLACEHOLDER).split(PLACEHOLDER)
  return (
    <>
      {before}
      {children}
      {after}
    </>
  )
}
