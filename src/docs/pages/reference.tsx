// The reference of one API: parameters, responses, errors and code samples of every operation.
import { CodeBlock } from "../highlight"
import { renderInline } from "../markdown"
import {
  describeConstraints,
  describeType,
  type ErrorResponse,
  type Field,
  listFields,
  type Operation,
  type Reference,
  type Schema,
} from "../reference"
import { buildClientSample, buildCurlSample, buildPhpSample, buildPythonSample } from "../samples"
import { Method, type NavGroup, PageFooter } from "./layout"

export const listOperationLinks = ({ tags, operations }: Reference): NavGroup[] =>
  tags.map(({ name: tag }) => ({
    title: tag,
    links: operations
      .filter((operation) => operation.tag === tag)
      .map(({ id, method }) => ({ href: `#${id}`, text: id.split(".")[1] ?? id, method })),
  }))

export function ReferencePage({ reference, origin }: { reference: Reference; origin: string }) {
  const commonErrors = findCommonErrors(reference)
  return (
    <>
      <div class="prose">
        <h1>{reference.title}</h1>
        {reference.description.split(/\n{2,}/).map((paragraph, index) => (
          <p class={index ? "" : "lead"}>{renderInline(paragraph.replaceAll("\n", " "))}</p>
        ))}
        <p>
          <code>{origin + reference.base}</code> · <a href={`/openapi/${reference.name}.json`}>OpenAPI 3.1</a> ·{" "}
          <a href={`/openapi/${reference.name}.json?version=3.0`}>OpenAPI 3.0</a> ·{" "}
          <a href={`/openapi/${reference.name}.postman.json`}>Postman collection</a>
        </p>
      </div>
      {reference.tags.map(({ name: tag, description }) => (
        <section class="group" aria-labelledby={`${reference.name}-${tag}`}>
          <h2 class="tag" id={`${reference.name}-${tag}`}>
            {tag}
          </h2>
          <p>{renderInline(description)}</p>
          {reference.operations
            .filter((operation) => operation.tag === tag)
            .map((operation) => (
              <OperationSection
                reference={reference}
                operation={operation}
                origin={origin}
                commonErrors={commonErrors}
              />
            ))}
        </section>
      ))}
      <PageFooter markdown={`/docs/${reference.name}.md`}>
        <a href={`/openapi/${reference.name}.json`}>OpenAPI document</a>
      </PageFooter>
    </>
  )
}

interface Props {
  reference: Reference
  operation: Operation
  origin: string
  /** Keys of the errors that are folded away because most operations have them. */
  commonErrors: Set<string>
}

const errorKey = ({ status, code }: ErrorResponse): string => `${status} ${code}`

/** Share of operations from which on an error counts as common. */
const COMMON_SHARE = 0.55

/** The keys of the errors that most operations of an API can return. */
function findCommonErrors({ operations }: Reference): Set<string> {
  const counts = new Map<string, number>()
  for (const { errors } of operations) {
    for (const key of new Set(errors.map(errorKey))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count > operations.length * COMMON_SHARE).map(([key]) => key))
}

const ErrorList = ({ reference, errors }: { reference: Reference; errors: ErrorResponse[] }) => (
  <ul class="errors">
    {errors.map(({ status, code, message }) => (
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

function OperationSection({ reference, operation, origin, commonErrors }: Props) {
  const { id, method, path, summary, description, parameters, body, responses, errors, deprecated } = operation
  const [success] = responses
  const clientSample = buildClientSample(reference, operation)
  const phpSample = buildPhpSample(reference, operation)
  const pythonSample = buildPythonSample(reference, operation)
  const listParameters = (location: string) => parameters.filter((parameter) => parameter.in === location)
  return (
    <article class="operation" id={id}>
      <div>
        <h3>
          <a href={`#${id}`}>{renderInline(summary)}</a>
        </h3>
        <div class="endpoint">
          <Method method={method} /> <span class="path">{reference.base + path}</span>
          <Authentication operation={operation} />
          {deprecated && <span class="pill deprecated">deprecated</span>}
        </div>
        <p>{renderInline(description)}</p>
        <Fields title="Path" reference={reference} fields={listParameters("path")} />
        <Fields title="Query" reference={reference} fields={listParameters("query")} />
        {body && <Fields title="Body" reference={reference} fields={listFields(reference, body.schema)} />}
        {listParameters("header").length > 0 && (
          <details>
            <summary>Headers</summary>
            <Fields reference={reference} fields={listParameters("header")} />
          </details>
        )}
        {success?.schema && <ResponseFields reference={reference} schema={success.schema} status={success.status} />}
        <h4>Errors</h4>
        <ErrorList reference={reference} errors={errors.filter((error) => !commonErrors.has(errorKey(error)))} />
        <details>
          <summary>Common errors</summary>
          <ErrorList reference={reference} errors={errors.filter((error) => commonErrors.has(errorKey(error)))} />
        </details>
      </div>
      <div class="samples">
        <div class="tabs">
          <CodeBlock language="sh" title="curl" code={buildCurlSample(reference, operation, origin)} />
          {clientSample && <CodeBlock language="ts" title="Client" code={clientSample} />}
          {phpSample && <CodeBlock language="php" title="PHP" code={phpSample} />}
          {pythonSample && <CodeBlock language="python" title="Python" code={pythonSample} />}
        </div>
        {responses.map(({ status, description, example }) => (
          <CodeBlock
            language={example === undefined ? "text" : "json"}
            title={`Response ${status}`}
            code={example === undefined ? description : JSON.stringify(example, null, 2)}
          />
        ))}
      </div>
    </article>
  )
}

/** The scope or the credential that an operation requires. */
function Authentication({ operation }: { operation: Operation }) {
  const [first = {}] = operation.security
  const [[name, scopes] = ["", []]] = Object.entries(first)
  const credentials: Record<string, string> = {
    user: "user token",
    siteKey: "site key",
    clientKey: "external key",
    vendorKey: "internal key",
  }
  const text = scopes.length ? `scope ${scopes.join(", ")}` : (credentials[name] ?? "no authentication")
  return <span class="pill">{text}</span>
}

/** The fields of the resource that a response contains. */
function ResponseFields({ reference, schema, status }: { reference: Reference; schema: Schema; status: number }) {
  const fields = listFields(reference, schema)
  const data = fields.find(({ name }) => name === "data")?.schema
  const inner = data?.items ?? data ?? schema
  const resource = listFields(reference, inner.anyOf?.find((option) => option.type !== "null") ?? inner)
  if (!resource.length) return null
  return (
    <details>
      <summary>
        Response fields ({status}){inner.$ref ? `: ${inner.$ref.split("/").at(-1)}` : ""}
      </summary>
      <Fields reference={reference} fields={resource} isResponse />
    </details>
  )
}

interface FieldsProps {
  title?: string
  reference: Reference
  fields: Field[]
  /** Response fields are marked when they may be absent, request fields when they are required. */
  isResponse?: boolean
}

function Fields({ title, reference, fields, isResponse = false }: FieldsProps) {
  if (!fields.length) return null
  return (
    <>
      {title && <h4>{title}</h4>}
      <dl class="fields">
        {fields.map(({ name, required, description, schema }) => {
          const constraints = describeConstraints(schema)
          return (
            <div>
              <dt>
                <code>{name}</code> <span>{describeType(reference, schema)}</span>
                {required !== isResponse && <em>{isResponse ? "may be absent" : "required"}</em>}
              </dt>
              {(description || constraints) && (
                <dd>
                  {renderInline(description)} {constraints && <>({constraints})</>}
                </dd>
              )}
            </div>
          )
        })}
      </dl>
    </>
  )
}
