// The other pages: a guide, the codes, the events, what a search found.

import type { Guide } from "../guides"
import { Code } from "../highlight"
import { inline, Markdown } from "../markdown"
import type { Reference } from "../reference"
import { Foot } from "./layout"

export const GuidePage = ({ guide }: { guide: Guide }) => (
  <article class="prose">
    <h1>{guide.title}</h1>
    <Markdown text={guide.text} />
    <Foot markdown={`/docs/${guide.name}.md`} />
  </article>
)

export const CodesPage = ({ codes }: Pick<Reference, "codes">) => (
  <>
    <div class="prose">
      <h1>Error codes</h1>
      <p class="lead">
        Whatever the control plane refuses has a code that never changes and a message in the caller's language. Branch
        on the code, and show the message.
      </p>
    </div>
    <div class="codes">
      {Object.entries(codes).map(([code, { status, when, next }]) => (
        <div id={code}>
          <h2>
            <code>{code}</code> <span class="pill">{code === "http_error" ? "400, 413, 415" : status}</span>
          </h2>
          <div>
            <p>{inline(when)}</p>
            <p class="next">{inline(next)}</p>
          </div>
        </div>
      ))}
    </div>
    <Foot markdown="/docs/codes.md" />
  </>
)

export const EventsPage = ({ events }: Pick<Reference, "events">) => (
  <>
    <div class="prose">
      <h1>Events</h1>
      <p class="lead">
        What happens on the platform is sent to every endpoint that listens, signed, at least once.{" "}
        <a href="/docs/verifying-webhooks">How to verify it</a>.
      </p>
    </div>
    {events.map(({ type, summary, example }) => (
      <article class="operation" id={type}>
        <div>
          <h2>
            <a href={`#${type}`}>
              <code>{type}</code>
            </a>
          </h2>
          <p>{inline(summary)}</p>
        </div>
        <div class="samples">
          <Code language="json" title="Payload" code={JSON.stringify(example, null, 2)} />
        </div>
      </article>
    ))}
    <Foot markdown="/docs/events.md" />
  </>
)

export interface Hit {
  name: string
  href: string
  summary: string
  /** What it is found by, in lower case. */
  words: string
}

export const SearchPage = ({ query, hits }: { query: string; hits: Hit[] }) => (
  <div class="prose">
    <h1>{query ? `Found for “${query}”` : "Search"}</h1>
    <p class="lead">
      {hits.length
        ? `${hits.length} ${hits.length === 1 ? "result" : "results"}.`
        : query
          ? "Nothing. Try a path, a code or an event."
          : ""}
    </p>
    <div class="hits">
      {hits.map(({ name, href, summary }) => (
        <a href={href}>
          <code>{name}</code> {summary}
        </a>
      ))}
    </div>
  </div>
)
