// The frame of a page for signed-in people: navigation, top bar, breadcrumb, heading and notice.
import type { Child, PropsWithChildren } from "hono/jsx"
import { FormErrors } from "./form"
import { useView } from "./view"

export type Crumb = [label: string, href: string]

/** Links of the navigation under a heading. */
interface NavigationGroup {
  group: string
  links: readonly (readonly [label: string, href: string])[]
}

interface ShellProps {
  brand: Child
  /** The first page, to which the breadcrumb leads back. */
  home: Crumb
  groups: readonly NavigationGroup[]
  /** The content of the top bar. */
  top: Child
  /** The content above the breadcrumb. */
  banner?: Child
  title: string
  /** The breadcrumb between the first page and this one. */
  crumbs: readonly Crumb[]
  /** Buttons and links next to the heading. */
  actions: Child
  notice: Child
  /** Names of the frame's parts. */
  labels: { skip: string; menu: string; navigation: string; breadcrumb: string }
}

export function Shell({
  brand,
  home,
  groups,
  top,
  banner,
  title,
  crumbs,
  actions,
  notice,
  labels,
  children,
}: PropsWithChildren<ShellProps>) {
  const { path, state } = useView()
  const [, homePath] = home
  const isCurrent = (href: string) => path === href || (href !== homePath && path.startsWith(`${href}/`))
  return (
    <>
      <a class="skip" href="#main">
        {labels.skip}
      </a>
      <div class="shell">
        <aside class="side" aria-label={labels.menu}>
          {brand}
          <details>
            <summary>{labels.menu}</summary>
            <nav aria-label={labels.navigation}>
              {groups.map(({ group, links }) => (
                <>
                  <h2>{group}</h2>
                  <ul>
                    {links.map(([label, href]) => (
                      <li>
                        <a href={href} aria-current={isCurrent(href) ? "page" : undefined}>
                          {label}
                        </a>
                      </li>
                    ))}
                  </ul>
                </>
              ))}
            </nav>
          </details>
        </aside>
        <div>
          <header class="top">{top}</header>
          <main id="main" tabindex={-1}>
            {banner}
            {path !== homePath && (
              <nav class="crumbs" aria-label={labels.breadcrumb}>
                <ol>
                  {[home, ...crumbs].map(([label, href]) => (
                    <li>
                      <a href={href}>{label}</a>
                    </li>
                  ))}
                  <li aria-current="page">{title}</li>
                </ol>
              </nav>
            )}
            <div class="head">
              <h1>{title}</h1>
              {actions && (
                <div class="acts" id="actions">
                  {actions}
                </div>
              )}
            </div>
            {notice}
            <FormErrors state={state} />
            {children}
          </main>
        </div>
      </div>
    </>
  )
}
