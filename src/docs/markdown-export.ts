// Renders the documentation as Markdown (`/docs/*.md`) and as `/llms.txt`.
import type { Guide } from "./guides"
import { describeConstraints, describeType, type Field, listFields, type Operation, type Reference } from "./reference"
import { buildClientSample, buildCurlSample } from "./samples"

/** The reference of one API. */
export const renderReference = (reference: Reference, origin: string): string =>
  joinParagraphs([
    `# ${reference.title}`,
    reference.description,
    `Base URL: ${origin}${reference.base}. OpenAPI: ${origin}/openapi/${reference.name}.json`,
    ...reference.tags.flatMap(({ name: tag, description }) => [
      `## ${tag}`,
      description,
      ...reference.operations
        .filter((operation) => operation.tag === tag)
        .map((operation) => renderOperation(reference, operation, origin)),
    ]),
  ])

function renderOperation(reference: Reference, operation: Operation, origin: string): string {
  const { id, method, path, summary, description, parameters, body, responses, errors } = operation
  const clientSample = buildClientSample(reference, operation)
  const urlParameters = parameters.filter((parameter) => parameter.in !== "header")
  return [
    `### ${id}`,
    `${summary}. \`${method} ${path}\``,
    description,
    renderFields(reference, "Path and query", urlParameters),
    body && renderFields(reference, "Body", listFields(reference, body.schema)),
    renderCodeBlock("sh", buildCurlSample(reference, operation, origin)),
    clientSample && renderCodeBlock("ts", clientSample),
    ...responses.map(({ status, example, description }) =>
      example === undefined
        ? `Response ${status}: ${description}`
        : `Response ${status}:\n\n${renderCodeBlock("json", JSON.stringify(example, null, 2))}`,
    ),
    `Errors: ${errors.map(({ status, code, message }) => `${status} ${reference.codes[code] ? `\`${code}\`` : message}`).join(", ")}`,
  ]
    .filter(Boolean)
    .join("\n\n")
}

const joinParagraphs = (parts: string[]): string => `${parts.join("\n\n")}\n`

const renderCodeBlock = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

function renderFields(reference: Reference, title: string, fields: Field[]): string {
  const lines = fields.map(({ name, required, description, schema }) => {
    const type = describeType(reference, schema) + (required ? ", required" : "")
    const constraints = describeConstraints(schema)
    return `- \`${name}\` (${type}${constraints ? `; ${constraints}` : ""}) ${description}`.trimEnd()
  })
  return lines.length ? `${title}:\n\n${lines.join("\n")}` : ""
}

/** The error codes of the control plane. */
export const renderErrorCodes = ({ codes }: Reference): string =>
  `# Error codes\n\n| Code | Status | When | What to do |\n| --- | --- | --- | --- |\n${Object.entries(codes)
    .map(([code, { status, when, next }]) => `| \`${code}\` | ${status} | ${when} | ${next} |`)
    .join("\n")}\n`

/** The webhook events with their payloads. */
export const renderEvents = ({ events }: Reference): string =>
  `# Events\n\n${events
    .map(
      ({ type, summary, example }) =>
        `## ${type}\n\n${summary}\n\n${renderCodeBlock("json", JSON.stringify(example, null, 2))}`,
    )
    .join("\n\n")}\n`

/** `/llms.txt` (https://llmstxt.org): an index of the Markdown pages for language models. */
export const renderLlmsTxt = (appName: string, guides: Guide[], references: Reference[], origin: string): string =>
  joinParagraphs([
    `# ${appName}`,
    "> The back office of a multi-store platform: a control plane for stores, subscriptions, domains and webhooks, a content API for every store, and a license manager.",
    "## Guides",
    guides.map(({ name, title, lead }) => `- [${title}](${origin}/docs/${name}.md): ${lead}`).join("\n"),
    "## Reference",
    [
      ...references.map(
        ({ name, title }) => `- [${title}](${origin}/docs/${name}.md): OpenAPI at ${origin}/openapi/${name}.json`,
      ),
      `- [Events](${origin}/docs/events.md): webhook events and their payloads`,
      `- [Error codes](${origin}/docs/codes.md): what each error means and how to handle it`,
    ].join("\n"),
  ])
