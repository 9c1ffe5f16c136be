// The start page: guides and an index of all operations and error codes.
import type { Guide } from "../guides"
import { CodeBlock } from "../highlight"
import { renderInline } from "../markdown"
import type { Reference } from "../reference"
import { Method, type NavGroup, PageFooter } from "./layout"

export const listHomeLinks = (guides: Guide[], references: Reference[]): NavGroup[] => [
  { title: "Guides", links: guides.map(({ name, title }) => ({ href: `/docs/${name}`, text: title })) },
  { title: "Reference", links: references.map(({ name, title }) => ({ href: `/docs/${name}`, text: title })) },
  {
    title: "OpenAPI",
    links: references.map(({ name }) => ({ href: `/openapi/${name}.json`, text: `${name}.json` })),
  },
]

interface Props {
  guides: Guide[]
  references: Reference[]
  origin: string
  appName: string
}

export const Home = ({ guides, references, origin, appName }: Props) => (
  <>
    <div class="prose">
      <h1>Build on {appName}</h1>
      <p class="lead">
        Three HTTP APIs and signed webhook events: manage stores, read and write each store's content, and license your
        software.
      </p>
      <CodeBlock
        language="sh"
        title="Your first request"
        code={`curl ${origin}/api/platform/v1/me \\\n  -H "Authorization: Bearer $TENANCY_KEY"`}
      />
    </div>
    <h2>Guides</h2>
    <ul class="cards">
      {guides.map(({ name, title, lead }) => (
        <li>
          <a href={`/docs/${name}`}>
            <strong>{title}</strong>
            {lead.replaceAll("`", "")}
          </a>
        </li>
      ))}
    </ul>
    {references.map((reference) => (
      <>
        <h2>{reference.title}</h2>
        <div class="directory">
          {reference.tags.map(({ name: tag }) => (
            <section>
              <h3>
                <a href={`/docs/${reference.name}#${reference.name}-${tag}`}>{tag}</a>
              </h3>
              <ul>
                {reference.operations
                  .filter((operation) => operation.tag === tag)
                  .map(({ id, method, summary }) => (
                    <li id={id}>
                      <a href={`/docs/${reference.name}#${id}`}>
                        <Method method={method} /> <span>{summary.split(";")[0]}</span>
                      </a>
                    </li>
                  ))}
              </ul>
            </section>
          ))}
        </div>
      </>
    ))}
    <h2>Error codes</h2>
    <div class="directory">
      <ul>
        {references
          .flatMap(({ codes }) => Object.entries(codes))
          .map(([code, { status }]) => (
            <li id={code}>
              <a href={`/docs/codes#${code}`}>
                <span class="method">{status}</span> <span>{renderInline(code)}</span>
              </a>
            </li>
          ))}
      </ul>
    </div>
    <PageFooter markdown="/llms.txt" />
  </>
)
