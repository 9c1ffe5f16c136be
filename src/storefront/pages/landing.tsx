// The platform's own front page, on the central host: where the interfaces are.
import { Head } from "../head"
import type { Look } from "../look"

/** The interfaces under their paths. */
const INTERFACES = [
  {
    path: "/api/platform/v1",
    name: "Control plane",
    about: "Stores, plans, subscriptions, domains, apps and webhooks.",
  },
  {
    path: "/api/v1",
    name: "Content",
    about: "Users, notifications, posts, pages and media, on every store's host too.",
  },
  { path: "/api/external", name: "Licenses", about: "Activation, verification and updates of licensed software." },
]

/** @param name the platform's name */
export function LandingPage({ name, look }: { name: string; look: Look }) {
  const meta = { title: null, description: `${name}: the back office of many stores.`, path: null }
  return (
    <html lang="en">
      <Head meta={meta} site={name} locale="en" look={look} />
      <body>
        <header class="masthead">
          <div class="shell">
            <span class="brand">{name}</span>
          </div>
        </header>
        <main class="notice article shell">
          <h1>{name}</h1>
          <p class="lede">The back office of many stores.</p>
          <div class="prose">
            <ul>
              {INTERFACES.map(({ path, name: title, about }) => (
                <li key={path}>
                  <strong>{title}</strong> <code>{path}</code>: {about}
                </li>
              ))}
            </ul>
          </div>
        </main>
      </body>
    </html>
  )
}
