// Names the request and response bodies of operations as components.
import { type Components, type JsonSchema, refName } from "./json-schema.ts"
import { STATUS_NAMES } from "./strings/statuses.ts"

/** Converts an operation id, event type or code to a component name: `stores.setTheme` to `StoresSetTheme`. */
export const pascalCase = (id: string): string =>
  id
    .split(/[._]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("")

/** Names a request body after its operation. */
export const nameRequest = (components: Components, operationId: string, schema: JsonSchema): JsonSchema =>
  components.name(`${pascalCase(operationId)}Request`, schema)

/** Names a response body. Each alternative of a response with several forms gets its own name. */
export function nameResponse(components: Components, operationId: string, schema: JsonSchema): JsonSchema {
  if (schema.anyOf && !schema.properties) {
    const forms = schema.anyOf.map((one) => nameResponse(components, operationId, one))
    return components.name(`${pascalCase(operationId)}Responses`, { ...schema, anyOf: forms })
  }
  const { properties } = schema
  if (!properties) return schema
  const shared = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => {
      const component = SHARED_OBJECTS[listKeys(inner)]
      return [name, component ? components.name(component, inner) : inner]
    }),
  )
  return components.name(responseName(operationId, schema), { ...schema, properties: shared })
}

/** Component names of objects that many responses contain, by their keys. */
const SHARED_OBJECTS: Record<string, string> = {
  "page,per_page,total,last_page": "PageMeta",
  "current_page,from,last_page,per_page,to,total": "PageMeta",
  "current_page,from,last_page,per_page,to,total,path": "PageMeta",
  "first,last,prev,next": "PageLinks",
}

/** Component names of responses without a resource, by their keys. */
const SHARED_RESPONSES: Record<string, string> = {
  message: "MediaMessageResponse",
  "status,message": "StatusResponse",
  "status,is_active,message": "ActiveStatusResponse",
}

/** Responses that contain one resource are named after it, because several operations return it. */
function responseName(operationId: string, schema: JsonSchema): string {
  const keys = listKeys(schema)
  const { data } = schema.properties ?? {}
  if (SHARED_RESPONSES[keys]) return SHARED_RESPONSES[keys]
  if (keys === "data" || keys === "error,data,message") {
    if (data?.type === "null") return "MessageResponse"
    if (data?.$ref) return `${refName(data)}Response`
  }
  return `${pascalCase(operationId)}Response`
}

const listKeys = ({ properties = {} }: JsonSchema): string => Object.keys(properties).join()

/**
 * Returns the component name of an error body.
 * @param codes the codes that it may have
 * @param isCommon whether most operations with the status have this body
 */
export function nameErrorBody(operationId: string, status: number, codes: string[], isCommon: boolean): string {
  const statusName = STATUS_NAMES[status] ?? String(status)
  if (codes.length === 1) return `${pascalCase(codes[0] ?? "")}Error`
  return isCommon ? `${statusName}Error` : `${pascalCase(operationId)}${statusName}Error`
}
