// Renders the operations of the Python client; `npm run docs` writes them to clients/python.
import {
  type ClientField,
  type ClientMethod,
  listClientResources,
  listErrorCodes,
  resolveSchema,
  toPascalCase,
  toSnakeCase,
  wrapText,
} from "./client-model.ts"
import type { Document } from "./document.ts"
import type { JsonSchema } from "./json-schema.ts"

const HEAD = `# The operations of the control plane. Generated from openapi/platform.json by \`npm run docs\`; do not edit.
`

/** The class of a list, or the annotation of another result. */
const RETURN_TYPES = {
  pages: "PagedList",
  list: "PagedList",
  data: "Dict[str, Any]",
  merged: "Dict[str, Any]",
  body: "Dict[str, Any]",
  nothing: "None",
} as const

const MAX_LITERALS = 12

/** Renders the modules of the package: file name to Python. */
export function renderPythonClient(document: Document): Record<string, string> {
  const resources = listClientResources(document)
  const classes = resources.map(({ name, methods }) => {
    const rendered = methods.map((method) => renderMethod(document, method))
    return `class ${toPascalCase(name)}Operations(Resource):\n${rendered.join("\n")}`
  })
  const operations = `${HEAD}from typing import Any, Dict, List, Literal, Optional, Union

from ._list import PagedList
from ._resource import NOT_GIVEN, RequestOptions, Resource, build_path

${classes.map((one) => `\n${one}`).join("\n")}`
  const codes = listErrorCodes(document).map((code) => `    ${code.toUpperCase()} = "${code}"\n`)
  return {
    "_operations.py": operations,
    "error_codes.py": `# Error codes of the control plane. Generated from openapi/platform.json by \`npm run docs\`; do not edit.\n\n\nclass ErrorCode:\n    """Values of TenancyError.code."""\n\n${codes.join("")}`,
  }
}

function renderMethod(document: Document, method: ClientMethod): string {
  const { id, verb, path, place, fields, result, summary, description } = method
  const positional = method.arguments.map(({ name, isInteger }) => `        ${name}: ${getIdType(name, isInteger)},\n`)
  const named = fields.map(({ name, schema, isRequired }) => {
    const type = renderType(document, schema)
    return `        ${name}: ${type}${isRequired ? "" : " = NOT_GIVEN"},\n`
  })
  const returns = id === "apps.enable" || id === "apps.disable" ? "List[Dict[str, Any]]" : RETURN_TYPES[result]
  const values = `{${fields.map(({ name }) => `"${name}": ${name}`).join(", ")}}`
  const args = [
    `            "${id}",\n            "${method.method}",\n`,
    `            build_path("${path}"${method.arguments.map(({ name }) => `, ${name}=${name}`).join("")}),\n`,
    place === "none" ? "" : `            ${place}=${values},\n`,
    "            options=options,\n",
    result === "list" ? "            is_paginated=False,\n" : "",
  ]
  const call = `self._${result === "pages" || result === "list" ? "list" : result}(\n${args.join("")}        )`
  return `    def ${toSnakeCase(verb)}(
        self,
${positional.join("")}        *,
${named.join("")}        options: Optional[RequestOptions] = None,
    ) -> ${returns}:
${renderDocstring(summary, description, fields)}        ${result === "nothing" ? "" : "return "}${call}
`
}

const getIdType = (name: string, isInteger: boolean): string => {
  if (isInteger) return "int"
  return name === "domain" ? "Union[str, int]" : "str"
}

function renderDocstring(summary: string, description: string, fields: ClientField[]): string {
  const params = fields.flatMap(({ name, schema }) => {
    const [first = "", ...more] = wrapText(`:param ${name}: ${escapeText(schema.description ?? "")}`, 104)
    return [first, ...more.map((line) => `    ${line}`)]
  })
  const lines = [`"""${escapeText(summary)}.`, "", ...wrapText(escapeText(description), 108)]
  const all = [...lines, ...(params.length ? ["", ...params] : []), `"""`]
  return all.map((line) => (line ? `        ${line}\n` : "\n")).join("")
}

const escapeText = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replaceAll("\n", " ")

function renderType(document: Document, schema: JsonSchema): string {
  const { $ref, anyOf, type, items } = schema
  if ($ref) return renderType(document, resolveSchema(document, schema))
  const values = schema.enum
  if (values?.includes("true")) return "bool"
  if (values && values.length <= MAX_LITERALS && values.every((value) => typeof value === "string" || value === null)) {
    const literal = `Literal[${values
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(", ")}]`
    return values.includes(null) ? `Optional[${literal}]` : literal
  }
  if (anyOf && type === undefined) {
    const types = [...new Set(anyOf.map((one) => renderType(document, one)))]
    const known = types.filter((one) => one !== "None")
    const union = known.length > 1 ? `Union[${known.join(", ")}]` : (known[0] ?? "Any")
    return types.includes("None") ? `Optional[${union}]` : union
  }
  const types = [type ?? (values ? "string" : "any")].flat()
  const known = types.filter((one) => one !== "null").map((one) => renderPlainType(document, one, items))
  const union = known.length > 1 ? `Union[${known.join(", ")}]` : (known[0] ?? "None")
  return types.includes("null") && known.length ? `Optional[${union}]` : union
}

function renderPlainType(document: Document, type: string, items: JsonSchema | undefined): string {
  if (type === "array") return `List[${items ? renderType(document, items) : "Any"}]`
  const names: Record<string, string> = { string: "str", integer: "int", number: "float", boolean: "bool" }
  return names[type] ?? (type === "object" ? "Dict[str, Any]" : "Any")
}
