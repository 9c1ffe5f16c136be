// Renders the operations of the PHP client; `npm run docs` writes them to clients/php.
import {
  type ClientMethod,
  listClientResources,
  listErrorCodes,
  resolveSchema,
  toCamelCase,
  toPascalCase,
  wrapText,
} from "./client-model.ts"
import type { Document } from "./document.ts"
import type { JsonSchema } from "./json-schema.ts"

const HEAD = `<?php

// Generated from openapi/platform.json by \`npm run docs\`; do not edit.

declare(strict_types=1);
`

/** The declared type of a result and the type in its comment. */
const RETURN_TYPES = {
  pages: ["PagedList", "PagedList"],
  list: ["PagedList", "PagedList"],
  data: ["array", "array<string, mixed>"],
  merged: ["array", "array<string, mixed>"],
  body: ["array", "array{data: list<array<string, mixed>>, meta: array<string, mixed>}"],
  nothing: ["void", "void"],
} as const

/** Renders the classes of the package: file name below src/ to PHP. */
export function renderPhpClient(document: Document): Record<string, string> {
  const classes = listClientResources(document).map(({ name, methods }) => {
    const className = `${toPascalCase(name)}Operations`
    const rendered = methods.map((method) => renderMethod(document, method))
    const file = `${HEAD}
namespace Tenancy\\Operations;

use Tenancy\\AbstractResource;
use Tenancy\\PagedList;
use Tenancy\\RequestOptions;

class ${className} extends AbstractResource
{
${rendered.join("\n")}}
`
    return [
      `Operations/${className}.php`,
      rendered.join("").includes("PagedList") ? file : file.replace("use Tenancy\\PagedList;\n", ""),
    ]
  })
  const codes = listErrorCodes(document).map((code) => `    public const ${code.toUpperCase()} = '${code}';\n`)
  return {
    ...Object.fromEntries(classes),
    "ErrorCode.php": `${HEAD}
namespace Tenancy;

/** Values of TenancyException::$errorCode. */
final class ErrorCode
{
${codes.join("")}}
`,
  }
}

function renderMethod(document: Document, method: ClientMethod): string {
  const { id, verb, path, place, fields, result, summary, description } = method
  const isRequired = fields.some((field) => field.isRequired)
  const [declared, documented] = RETURN_TYPES[result]
  const shape = fields.map(
    ({ name, schema, isRequired: required }) => `${name}${required ? "" : "?"}: ${renderType(document, schema)}`,
  )
  const ids = method.arguments.map(({ name, isInteger }) => {
    const type = isInteger ? "int" : name === "domain" ? "string|int" : "string"
    return `${type} $${toCamelCase(name)}`
  })
  const input = place === "none" ? [] : [`array $input${isRequired ? "" : " = []"}`]
  const args = [...ids, ...input, "?RequestOptions $options = null"].join(", ")
  const variables = method.arguments.map(({ name }) => `'${name}' => $${toCamelCase(name)}`).join(", ")
  const call = [
    `'${id}'`,
    `'${method.method}'`,
    `self::buildPath('${path}', [${variables}])`,
    ...(place === "none" ? [] : [`${place}: $input`]),
    "options: $options",
    ...(result === "list" ? ["isPaginated: false"] : []),
  ].join(", ")
  const kind = result === "pages" || result === "list" ? "list" : result
  const comment = [
    `${summary}.`,
    "",
    ...wrapText(description, 112),
    "",
    ...(place === "none" ? [] : [`@param array{${shape.join(", ")}} $input`]),
    ...(declared === "array" ? [`@return ${documented}`] : []),
    "@throws \\Tenancy\\Exception\\TenancyException",
  ]
  return `    /**
${comment.map((line) => `     *${line && ` ${line.replaceAll("*/", "* /")}`}\n`).join("")}     */
    public function ${verb}(${args}): ${declared}
    {
        ${result === "nothing" ? "" : "return "}$this->call${toPascalCase(kind)}(${call});
    }
`
}

function renderType(document: Document, schema: JsonSchema): string {
  const { $ref, anyOf, type, items } = schema
  if ($ref) return renderType(document, resolveSchema(document, schema))
  if (schema.enum?.includes("true")) return "bool"
  if (anyOf && type === undefined) return [...new Set(anyOf.map((one) => renderType(document, one)))].join("|")
  return [type ?? (schema.enum ? "string" : "mixed")]
    .flat()
    .map((one) => renderPlainType(document, one, items))
    .join("|")
}

function renderPlainType(document: Document, type: string, items: JsonSchema | undefined): string {
  if (type === "array") return `list<${items ? renderType(document, items) : "mixed"}>`
  const names: Record<string, string> = {
    integer: "int",
    number: "float",
    boolean: "bool",
    object: "array<string, mixed>",
  }
  return names[type] ?? type
}
