// Texts of the endpoint form that stand for structured values: a filter has one condition per line, headers one header.
import * as z from "zod"
import { emptyAsNull, withLookups } from "../../core/http/validation"
import type { Endpoint } from "../receiving-condition"
import { CreateEndpoint, CreateStoreEndpoint, FilterResource, UpdateEndpoint, UpdateStoreEndpoint } from "./schemas"

type Condition = NonNullable<Endpoint["filter"]>[number]

/** Returns the lines of a text that are not blank. */
const toLines = (text: string): string[] => text.split("\n").flatMap((line) => line.trim() || [])

/** Parses `path op value`. The schema reports what is missing or unknown. */
function parseCondition(line: string): unknown {
  const [path, op, ...rest] = line.split(/\s+/)
  const text = rest.join(" ")
  if (!text) return { path, op }
  return { path, op, value: op === "in" && !text.startsWith("[") ? text.split(",").map(parseValue) : parseValue(text) }
}

/** Parses JSON; anything else is a text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.trim()
  }
}

/** Formats a filter so that it can be parsed again. */
export const formatFilter = (filter: readonly Condition[] | null): string =>
  (filter ?? []).map(({ path, op, value }) => [path, op, formatValue(value)].filter(Boolean).join(" ")).join("\n")

/** Texts that would be parsed as something else, or split, are quoted. */
function formatValue(value: Condition["value"]): string {
  if (value === undefined) return ""
  if (typeof value === "string" && parseValue(value) === value && !/\s{2}/.test(value)) return value
  return JSON.stringify(value)
}

/** Parses `Name: value` lines. A line without a colon is a name without a value, which the schema refuses. */
function parseHeaders(text: string): z.input<typeof CreateEndpoint.shape.headers> {
  const entries = toLines(text).map((line) => {
    const end = line.indexOf(":")
    return end < 0 ? [line, ""] : [line.slice(0, end).trim(), line.slice(end + 1).trim()]
  })
  return Object.fromEntries(entries)
}

const fields = {
  filter: emptyAsNull(
    z
      .string()
      .max(20_000)
      .transform((text): unknown => toLines(text).map(parseCondition))
      .pipe(CreateEndpoint.shape.filter),
  ),
  headers: emptyAsNull(z.string().max(20_000).transform(parseHeaders).pipe(CreateEndpoint.shape.headers)),
}

export const CreateEndpointForm = withLookups(CreateEndpoint.extend(fields), "url", "stores")

export const UpdateEndpointForm = withLookups(UpdateEndpoint.extend(fields), "url", "stores")

export const CreateStoreEndpointForm = withLookups(CreateStoreEndpoint.extend(fields), "url")

export const UpdateStoreEndpointForm = withLookups(UpdateStoreEndpoint.extend(fields), "url")

/** The operators, for the hint of the filter. */
export const FILTER_OP_NAMES = FilterResource.shape.op.options.join(", ")
