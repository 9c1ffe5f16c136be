// Links between the pages of one subject, such as a store. Each tab has its own URL.
import { useView } from "./view"

interface TabsProps {
  label: string
  tabs: readonly [label: string, href: string][]
  /** The tab that is marked, when the page's path does not begin with its path: that of a refused form. */
  current?: string
}

/** Links to the pages of a subject; marks the one that is shown. */
export function Tabs({ label, tabs, current: shown }: TabsProps) {
  const { path } = useView()
  const current = tabs.map(([, href]) => href).filter((href) => path === href || path.startsWith(`${href}/`))
  // The first tab's path is a prefix of all others.
  const selected = shown ?? current.toSorted((a, b) => b.length - a.length)[0]
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([text, href]) => (
        <a href={href} aria-current={href === selected ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}
