// The pages as Markdown, and what is told to language models.
import type { Guide } from "./guides"
import { boundsOf, type Field, fieldsOf, kindOf, type OperationDoc, type Reference } from "./reference"
import { clientSample, curlSample } from "./samples"

/** The reference of an API. */
export const referenceMarkdown = (reference: Reference, origin: string): string =>
  paragraphs([
    `# ${reference.title}`,
    reference.description,
    `Base: ${origin}${reference.base}. OpenAPI: ${origin}/openapi/${reference.name}.json`,
    ...reference.tags.flatMap(({ name: tag, description }) => [
      `## ${tag}`,
      description,
      ...reference.operations
        .filter((operation) => operation.tag === tag)
        .map((operation) => operationMarkdown(reference, operation, origin)),
    ]),
  ])

function operationMarkdown(reference: Reference, operation: OperationDoc, origin: string): string {
  const { id, method, path, summary, parameters, body, answers, refusals } = operation
  const client = clientSample(reference, operation)
  return [
    `### ${id}`,
    `${summary}. \`${method} ${path}\``,
    fieldList(
      reference,
      "Path and query",
      parameters.filter((one) => one.in !== "header"),
    ),
    body && fieldList(reference, "Body", fieldsOf(reference, body.schema)),
    fence("sh", curlSample(reference, operation, origin)),
    client && fence("ts", client),
    ...answers.map(({ status, example, description }) =>
      example === undefined
        ? `Answer ${status}: ${description}`
        : `Answer ${status}:\n\n${fence("json", JSON.stringify(example, null, 2))}`,
    ),
    `Refusals: ${refusals.map(({ status, code, message }) => `${status} ${reference.codes[code] ? `\`${code}\`` : message}`).join(", ")}`,
  ]
    .filter(Boolean)
    .join("\n\n")
}

const paragraphs = (parts: string[]): string => `${parts.join("\n\n")}\n`

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

function fieldList(reference: Reference, title: string, fields: Field[]): string {
  const lines = fields.map(({ name, required, description, schema }) => {
    const bounds = boundsOf(schema)
    return `- \`${name}\` (${kindOf(reference, schema)}${required ? ", required" : ""}${bounds ? `; ${bounds}` : ""}) ${description}`.trimEnd()
  })
  return lines.length ? `${title}:\n\n${lines.join("\n")}` : ""
}

/** The control plane's codes. */
export const codesMarkdown = ({ codes }: Reference): string =>
  `# Error codes\n\n| Code | Status | When | What next |\n| --- | --- | --- | --- |\n${Object.entries(codes)
    .map(([code, { status, when, next }]) => `| \`${code}\` | ${status} | ${when} | ${next} |`)
    .join("\n")}\n`

/** The events with their payloads. */
export const eventsMarkdown = ({ events }: Reference): string =>
  `# Events\n\n${events
    .map(
      ({ type, summary, example }) => `## ${type}\n\n${summary}\n\n${fence("json", JSON.stringify(example, null, 2))}`,
    )
    .join("\n\n")}\n`

/** /llms.txt (https://llmstxt.org): where to read what, in Markdown. */
export const llmsText = (appName: string, guides: Guide[], references: Reference[], origin: string): string =>
  paragraphs([
    `# ${appName}`,
    "> The back office of a multi-store platform: a control plane for stores, subscriptions, domains and webhooks, a content API for every store, and a license manager.",
    "## Guides",
    guides.map(({ name, title, lead }) => `- [${title}](${origin}/docs/${name}.md): ${lead}`).join("\n"),
    "## Reference",
    [
      ...references.map(
        ({ name, title }) => `- [${title}](${origin}/docs/${name}.md): OpenAPI at ${origin}/openapi/${name}.json`,
      ),
      `- [Events](${origin}/docs/events.md): what webhooks deliver`,
      `- [Error codes](${origin}/docs/codes.md): what each means and what to do`,
    ].join("\n"),
  ])
