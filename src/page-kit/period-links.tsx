// Links that choose the period of a page's charts. The period is in the page's URL.
import { useView } from "./view"

interface PeriodLinksProps {
  /** Accessible name. */
  label: string
  /** The query parameter. */
  name: string
  /** The values with their labels, shortest first. */
  periods: readonly (readonly [value: string, label: string])[]
  current: string
  /** Id of the section with the charts. */
  target: string
}

export function PeriodLinks({ label, name, periods, current, target }: PeriodLinksProps) {
  const { path, query } = useView()
  const hrefOf = (value: string) => {
    const next = new URLSearchParams(query)
    for (const notice of ["done", "subject"]) next.delete(notice)
    next.set(name, value)
    return `${path}?${next}#${target}`
  }
  return (
    <nav class="row choices" aria-label={label}>
      {periods.map(([value, text]) => (
        <a class="button" data-quiet href={hrefOf(value)} aria-current={value === current ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}
