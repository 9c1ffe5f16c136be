// Derives commands of the control-plane API, such as `stores:list`, from its OpenAPI document.
import type { Document, Operation, Parameter } from "../openapi/document.ts"
import type { JsonSchema } from "../openapi/json-schema.ts"
import type { Command } from "./commands.ts"

/** Commands of the same name that run with the operator token, and also work before there is an API key. */
export const OPERATOR_COMMANDS = [
  "coupons:list",
  "events:list",
  "keys:create",
  "keys:list",
  "keys:revoke",
  "webhooks:recover",
]

/** Options that are secrets wherever they occur. */
const SECRET_FIELDS = ["password"]

/** A command of the API, with its operation. */
export interface ResourceCommand extends Command {
  method: string
  /** Template below the server's URL: `/stores/{id}`. */
  path: string
  fields: Record<string, Field>
}

/** Where an option goes, and the schema of its value. */
interface Field {
  place: "path" | "query" | "body"
  /** The API's name of the option. */
  name: string
  schema: JsonSchema
}

/** Lists the commands of a document's operations. */
export function listResourceCommands(document: Document): ResourceCommand[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const command = buildCommand(document, path, method.toUpperCase(), operation as Operation)
      return OPERATOR_COMMANDS.includes(command.name) ? [] : [command]
    }),
  )
}

/** Returns the name of an operation's command; `webhooks.rotateSecret` is `webhooks:rotate-secret`. */
export const toCommandName = (operationId: string): string => toOptionName(operationId).replace(".", ":")

/** Lists the event types and wildcards that endpoints can subscribe to. */
export const listEventTypes = (document: Document): string[] =>
  listValues(document, document.components.schemas.WebhookSubscription ?? {}) ?? []

function buildCommand(document: Document, path: string, method: string, operation: Operation): ResourceCommand {
  const fields: Record<string, Field> = {}
  const options: Command["options"] = []
  const add = (place: Field["place"], name: string, schema: JsonSchema, summary: string, required: boolean) => {
    const option = toOptionName(name)
    if (fields[option]) return
    const values = listValues(document, schema)
    fields[option] = { place, name, schema: resolve(document, schema) }
    options.push({
      name: option,
      required,
      summary,
      ...(values && { values }),
      ...(isOfType(document, schema, "array") && { list: true as const }),
      ...(SECRET_FIELDS.includes(name) && { secret: true as const }),
    })
  }
  const parameters = (operation.parameters ?? []).filter((parameter): parameter is Parameter & { name: string } =>
    Boolean(parameter.name && (parameter.in === "path" || parameter.in === "query")),
  )
  for (const { in: place, name, schema, description, required } of parameters)
    add(place as "path" | "query", name, schema ?? {}, String(description ?? ""), required === true)
  const body = operation.requestBody?.content["application/json"]?.schema
  const { properties = {}, required = [] } = body ? resolve(document, body) : {}
  for (const [name, schema] of Object.entries(properties))
    add("body", name, schema, schema.description ?? "", required.includes(name))
  if (body) options.push({ name: "data", required: false, summary: "JSON with fields; @file reads a file" })
  if (fields.page) options.push({ name: "all", required: false, summary: "all pages", flag: true })
  if (method !== "GET") options.push({ name: "idempotency-key", required: false, summary: "key of an earlier attempt" })
  return {
    name: toCommandName(operation.operationId),
    summary: operation.summary,
    description: operation.description,
    arguments: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => toOptionName(name)),
    options,
    method,
    path: (document.servers[0]?.url ?? "") + path,
    fields,
  }
}

const toOptionName = (name: string): string =>
  name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function resolve(document: Document, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1)
  const target = name ? document.components.schemas[name] : undefined
  return target ? resolve(document, target) : schema
}

/** Lists the types and alternatives of a schema. */
const listAlternatives = (document: Document, schema: JsonSchema): JsonSchema[] => {
  const resolved = resolve(document, schema)
  const alternatives = resolved.anyOf ?? resolved.oneOf
  return alternatives ? alternatives.flatMap((one) => listAlternatives(document, one)) : [resolved]
}

const isOfType = (document: Document, schema: JsonSchema, type: string): boolean =>
  listAlternatives(document, schema).some((one) => [one.type].flat().includes(type))

/** Lists the values that a schema, or the items of an array, may have; undefined if they are not enumerated. */
function listValues(document: Document, schema: JsonSchema): string[] | undefined {
  const values = listAlternatives(document, schema).flatMap((one): unknown[] => {
    if (one.items) return listValues(document, one.items) ?? []
    return one.enum ?? (one.const === undefined ? [] : [one.const])
  })
  const texts = values.filter((value): value is string => typeof value === "string")
  return texts.length && !texts.includes("true") ? texts : undefined
}
