// Page section with a title and an optional link to the full list.
import type { Child } from "hono/jsx"

type Props = { id: string; title: string; more?: { href: string; name: string }; children?: Child }

export function TitledSection({ id, title, more, children }: Props) {
  return (
    <section class="section shell" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {more && (
          <a class="more" href={more.href}>
            {more.name}
          </a>
        )}
      </div>
      {children}
    </section>
  )
}
