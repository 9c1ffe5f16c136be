// Builds the client of an API from the table of its operations.
import { encodePathSegment, type ReadOptions, type Transport } from "./transport.ts"

/** Method, path, location of the input, format of the response, and whether requests carry an `Idempotency-Key`. */
export type OperationEntry = readonly [
  method: string,
  path: string,
  input: "query" | "json" | "form" | "none",
  format: "json" | "raw",
  key?: "key",
]

/** The types of an operation: the arguments of its path, its input and its response. */
interface OperationTypes {
  path: readonly (string | number)[]
  input: unknown
  response: unknown
}

type Method<Types extends OperationTypes> = Types["input"] extends undefined
  ? (...args: [...path: Types["path"], options?: ReadOptions]) => Promise<Types["response"]>
  : Record<never, never> extends Types["input"]
    ? (...args: [...path: Types["path"], input?: Types["input"], options?: ReadOptions]) => Promise<Types["response"]>
    : (...args: [...path: Types["path"], input: Types["input"], options?: ReadOptions]) => Promise<Types["response"]>

/** One property per resource, with one method per operation: `posts.list` is `client.posts.list`. */
export type ApiClient<Operations> = {
  readonly [Resource in keyof Operations as Resource extends `${infer Name}.${string}` ? Name : never]: {
    readonly [Name in keyof Operations as Name extends `${Resource extends `${infer Group}.${string}` ? Group : never}.${infer Verb}`
      ? Verb
      : never]: Operations[Name] extends OperationTypes ? Method<Operations[Name]> : never
  }
}

/** Creates the methods of all operations. */
export function createApiClient<Operations>(
  transport: Transport,
  operations: Record<string, OperationEntry>,
): ApiClient<Operations> {
  const client: Record<string, Record<string, unknown>> = {}
  for (const [operation, entry] of Object.entries(operations)) {
    const [resource = "", verb = ""] = operation.split(".")
    client[resource] ??= {}
    client[resource][verb] = createMethod(transport, operation, entry)
  }
  return client as ApiClient<Operations>
}

function createMethod(transport: Transport, operation: string, [method, template, input, format, key]: OperationEntry) {
  const names = [...template.matchAll(/\{\w+\}/g)].map(([name]) => name)
  return async (...args: unknown[]): Promise<unknown> => {
    const path = names.reduce((text, name, index) => text.replace(name, encodePathSegment(args[index])), template)
    const rest = args.slice(names.length)
    const values = (input === "none" ? undefined : rest.shift()) as object | undefined
    const [options] = rest as [ReadOptions?]
    return transport.request({
      operation,
      method,
      path,
      ...(input === "query" ? { query: values } : { body: input === "form" ? buildForm(values) : values }),
      options,
      isRaw: format === "raw",
      hasKey: key === "key",
    })
  }
}

/** Builds a multipart form; files are Blobs. */
function buildForm(values: object = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue
    form.append(name, value instanceof Blob ? value : String(value))
  }
  return form
}
