// The page of the webhook events.
import { CodeBlock } from "../highlight"
import { renderInline } from "../markdown"
import type { Reference } from "../reference"
import { type NavGroup, PageFooter } from "./layout"

export const listEventLinks = ({ events }: Reference): NavGroup => ({
  title: "Events",
  links: events.map(({ type }) => ({ href: `#${type}`, text: type })),
})

export const EventsPage = ({ events }: Pick<Reference, "events">) => (
  <>
    <div class="prose">
      <h1>Events</h1>
      <p class="lead">
        Events are sent to every subscribed webhook endpoint. Deliveries are signed and arrive at least once.{" "}
        <a href="/docs/verifying-webhooks">Verify a delivery</a>
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
          <p>{renderInline(summary)}</p>
        </div>
        <div class="samples">
          <CodeBlock language="json" title="Payload" code={JSON.stringify(example, null, 2)} />
        </div>
      </article>
    ))}
    <PageFooter markdown="/docs/events.md" />
  </>
)
