// Stores strings as JSON. A string that takes parameters is a function in the code and a template in the file: `{0}` is
// its first parameter.

/** A template; the second one is used when the first parameter is 1. */
type Template = [other: string] | [other: string, one: string]

export type EncodedStrings = { [key: string]: string | Template | EncodedStrings }

type StringFunction = (...params: unknown[]) => string

/** Counts that are not 1 in the languages of the platform. */
const PLURALS = [0, 2, 5, 11, 21, 101]

/**
 * Encodes strings. It learns the template of a function by calling it with the placeholders.
 * @throws Error for a function that does more than inserting its parameters and telling 1 from other counts
 */
export function encodeStrings(strings: object): EncodedStrings {
  const encode = ([key, value]: [string, unknown]): [string, EncodedStrings[string]] => {
    if (typeof value === "string") return [key, value]
    if (typeof value === "function") return [key, encodeFunction(key, value as StringFunction)]
    if (typeof value === "object" && value && !Array.isArray(value)) return [key, encodeStrings(value)]
    throw new Error(`${key} is neither a string nor a function nor an object`)
  }
  return Object.fromEntries(Object.entries(strings).map(encode))
}

function encodeFunction(key: string, build: StringFunction): Template {
  const [first, ...rest] = Array.from({ length: build.length }, (_, index) => `{${index}}`)
  const other = build(first, ...rest)
  const one = build(1, ...rest)
  const template: Template = one === format([other], [1, ...rest]) ? [other] : [other, one]
  for (const params of [...PLURALS, 1, "a", "{1}"].map((value) => [value, ...rest.map((_, index) => `r${index}`)]))
    if (format(template, params) !== build(...params)) throw new Error(`${key} cannot be written as a template`)
  return template
}

/** Restores the strings and functions. */
export function decodeStrings(encoded: EncodedStrings): object {
  const decode = ([key, value]: [string, EncodedStrings[string]]): [string, unknown] => {
    if (typeof value === "string") return [key, value]
    if (Array.isArray(value)) return [key, (...params: unknown[]) => format(value, params)]
    return [key, decodeStrings(value)]
  }
  return Object.fromEntries(Object.entries(encoded).map(decode))
}

const format = ([other, one = other]: Template, params: unknown[]): string =>
  (params[0] === 1 ? one : other).replace(/\{(\d)\}/g, (_, index: string) => String(params[Number(index)]))
