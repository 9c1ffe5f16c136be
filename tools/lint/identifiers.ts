// Splits TypeScript source into identifiers, ignoring comments, strings and regular expressions.

/** An identifier and its line, one-based. */
export interface Identifier {
  name: string
  line: number
}

/** Comments, then strings, then identifiers; template literals are handled separately because they contain code. */
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_$][\w$]*|[`/{}]|\n|\S/g

/** A regular expression can only follow one of these characters. */
const BEFORE_REGEX = new Set(["(", ",", "=", ":", "[", "!", "&", "|", "?", "{", "}", ";", ">", "\n", ""])

const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y

const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y

/**
 * Lists the identifiers of a source text, including property names and names inside template expressions.
 * @param text TypeScript or TSX
 */
export function identifiersOf(text: string): Identifier[] {
  const found: Identifier[] = []
  /** For every open template expression: the depth of braces inside it. */
  const templates: number[] = []
  let line = 1
  let previous = ""
  const token = new RegExp(TOKEN)
  const skipTo = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = token.lastIndex
    const match = pattern.exec(text)
    if (!match) return null
    line += match[0].split("\n").length - 1
    token.lastIndex = pattern.lastIndex
    return match
  }
  const readTemplate = () => {
    if (skipTo(TEMPLATE_TEXT)?.[1] === "${") templates.push(0)
  }
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [value] = match
    if (value.startsWith("//")) continue
    if (value.startsWith("/*") || value === "\n") {
      line += value.split("\n").length - 1
      continue
    }
    if (value === "`") readTemplate()
    else if (value === "{" && templates.length) templates[templates.length - 1] = (templates.at(-1) ?? 0) + 1
    else if (value === "}" && templates.length) {
      const depth = templates.pop() ?? 0
      if (depth === 0) readTemplate()
      else templates.push(depth - 1)
    } else if (value === "/" && BEFORE_REGEX.has(previous)) {
      token.lastIndex -= 1
      if (!skipTo(REGEX)) token.lastIndex += 1
    } else if (/^[A-Za-z_$]/.test(value)) found.push({ name: value, line })
    previous = value
  }
  return found
}
