// The reference of one API: every operation with what it takes, answers and refuses, and how to call it.
import { Code } from "../highlight"
import { inline } from "../markdown"
import {
  boundsOf,
  type Field,
  fieldsOf,
  kindOf,
  type OperationDoc,
  type Reason,
  type Reference,
  type Schema,
} from "../reference"
import { clientSample, curlSample } from "../samples"
import { Foot, type NavGroup, Verb } from "./layout"

export const referenceSide = ({ tags, operations }: Reference): NavGroup[] =>
  tags.map(({ name: tag }) => ({
    title: tag,
    links: operations
      .filter((operation) => operation.tag === tag)
      .map(({ id, method }) => ({ href: `#${id}`, text: id.split(".")[1] ?? id, verb: method })),
  }))

export function ReferencePage({ reference, origin }: { reference: Reference; origin: string }) {
  const common = commonRefusals(reference)
  return (
    <>
      <div class="prose">
        <h1>{reference.title}</h1>
        {reference.description.split(/\n{2,}/).map((paragraph, index) => (
          <p class={index ? "" : "lead"}>{inline(paragraph.replaceAll("\n", " "))}</p>
        ))}
        <p>
          <code>{origin + reference.base}</code> · <a href={`/openapi/${reference.name}.json`}>OpenAPI 3.1</a>
        </p>
      </div>
      {reference.tags.map(({ name: tag, description }) => (
        <section class="group" aria-labelledby={`${reference.name}-${tag}`}>
          <h2 class="noun" id={`${reference.name}-${tag}`}>
            {tag}
          </h2>
          <p>{inline(description)}</p>
          {reference.operations
            .filter((operation) => operation.tag === tag)
            .map((operation) => (
              <Operation reference={reference} operation={operation} origin={origin} common={common} />
            ))}
        </section>
      ))}
      <Foot markdown={`/docs/${reference.name}.md`}>
        <a href={`/openapi/${reference.name}.json`}>OpenAPI document</a>
      </Foot>
    </>
  )
}

interface Props {
  reference: Reference
  operation: OperationDoc
  origin: string
  /** Refusals that need not be read again and again. */
  common: Set<string>
}

const keyOf = ({ status, code }: Reason): string => `${status} ${code}`

/** The refusals that most operations of an API have. */
function commonRefusals({ operations }: Reference): Set<string> {
  const counts = new Map<string, number>()
  for (const { refusals } of operations) {
    for (const key of new Set(refusals.map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count > operations.length * 0.55).map(([key]) => key))
}

const Refusals = ({ reference, refusals }: { reference: Reference; refusals: Reason[] }) => (
  <ul class="refusals">
    {refusals.map(({ status, code, message }) => (
      <li>
        <span class="status">{status}</span>
        <div>
          {reference.codes[code] && (
            <>
              <a href={`/docs/codes#${code}`}>
                <code>{code}</code>
              </a>{" "}
            </>
          )}
          <span>{message}</span>
        </div>
      </li>
    ))}
  </ul>
)

function Operation({ reference, operation, origin, common }: Props) {
  const { id, method, path, summary, parameters, body, answers, refusals, deprecated } = operation
  const [success] = answers
  const client = clientSample(reference, operation)
  return (
    <article class="operation" id={id}>
      <div>
        <h3>
          <a href={`#${id}`}>{inline(summary)}</a>
        </h3>
        <div class="endpoint">
          <Verb verb={method} /> <span class="path">{reference.base + path}</span>
          <Scope operation={operation} />
          {deprecated && <span class="pill old">older clients</span>}
        </div>
        <Fields title="Path" reference={reference} fields={parameters.filter((one) => one.in === "path")} />
        <Fields title="Query" reference={reference} fields={parameters.filter((one) => one.in === "query")} />
        {body && <Fields title="Body" reference={reference} fields={fieldsOf(reference, body.schema)} />}
        {parameters.some((one) => one.in === "header") && (
          <details>
            <summary>Headers</summary>
            <Fields reference={reference} fields={parameters.filter((one) => one.in === "header")} />
          </details>
        )}
        {success?.schema && <Answer reference={reference} schema={success.schema} status={success.status} />}
        <h4>Refusals</h4>
        <Refusals reference={reference} refusals={refusals.filter((one) => !common.has(keyOf(one)))} />
        <details>
          <summary>And those that every operation shares</summary>
          <Refusals reference={reference} refusals={refusals.filter((one) => common.has(keyOf(one)))} />
        </details>
      </div>
      <div class="samples">
        <Code language="sh" title="curl" code={curlSample(reference, operation, origin)} />
        {client && <Code language="ts" title="Client" code={client} />}
        {answers.map(({ status, description, example }) => (
          <Code
            language={example === undefined ? "text" : "json"}
            title={`Answer ${status}`}
            code={example === undefined ? description : JSON.stringify(example, null, 2)}
          />
        ))}
      </div>
    </article>
  )
}

function Scope({ operation }: { operation: OperationDoc }) {
  const [first = {}] = operation.security
  const [[name, scopes] = ["", []]] = Object.entries(first)
  const words: Record<string, string> = {
    user: "user's token",
    siteKey: "site key",
    clientKey: "external key",
    vendorKey: "internal key",
  }
  const text = scopes.length ? `scope ${scopes.join(", ")}` : (words[name] ?? "open to all")
  return <span class="pill">{text}</span>
}

/** What an answer holds, as far as its resource says it. */
function Answer({ reference, schema, status }: { reference: Reference; schema: Schema; status: number }) {
  const fields = fieldsOf(reference, schema)
  const data = fields.find(({ name }) => name === "data")?.schema
  const inner = data?.items ?? data ?? schema
  const resource = fieldsOf(reference, inner.anyOf?.find((one) => one.type !== "null") ?? inner)
  if (!resource.length) return null
  return (
    <details>
      <summary>
        Fields of the answer ({status}){inner.$ref ? `: ${inner.$ref.split("/").at(-1)}` : ""}
      </summary>
      <Fields reference={reference} fields={resource} isAnswer />
    </details>
  )
}

interface FieldsProps {
  title?: string
  reference: Reference
  fields: Field[]
  /** Fields of an answer are there unless they say otherwise. */
  isAnswer?: boolean
}

function Fields({ title, reference, fields, isAnswer = false }: FieldsProps) {
  if (!fields.length) return null
  return (
    <>
      {title && <h4>{title}</h4>}
      <dl class="fields">
        {fields.map(({ name, required, description, schema }) => {
          const bounds = boundsOf(schema)
          const kind = kindOf(reference, schema)
          return (
            <div>
              <dt>
                <code>{name}</code> <span>{kind}</span>
                {required !== isAnswer && <em>{isAnswer ? "may be absent" : "required"}</em>}
              </dt>
              {(description || bounds) && (
                <dd>
                  {inline(description)} {bounds && <>({bounds})</>}
                </dd>
              )}
            </div>
          )
        })}
      </dl>
    </>
  )
}
