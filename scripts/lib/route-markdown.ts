// The table of a surface's routes in Markdown, made from the routes themselves.
import type { RouteInfo } from "../../src/core/route.ts"

/** Marks around a generated part of a document. */
const marks = (name: string): [begin: string, end: string] => [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`]

/**
 * One line a route: verb, path, scope, what it is for, its status, what it may refuse with.
 * @param prefix the surface's base path, left out of the table
 */
export function routeMarkdown(routes: RouteInfo[], prefix: string): string {
  const lines = routes.map(({ method, path, summary, answers, refuses = [], input }) => {
    const scope = method === "GET" ? "read" : "write"
    const validated = input.json || input.query ? ["validation_failed"] : []
    const codes = [...validated, ...refuses].map((code) => `\`${code}\``).join(" ")
    return `| ${method} | \`${path.slice(prefix.length)}\` | ${scope} | ${summary} | ${answers.status} | ${codes} |`
  })
  return [
    "| Verb | Path | Scope | What it does | Status | May refuse with |",
    "|---|---|---|---|---|---|",
    ...lines,
  ].join("\n")
}

/** `text` with what stands between the marks of `name` replaced; throws when the marks are missing. */
export function replaceMarked(text: string, name: string, content: string): string {
  const [begin, end] = marks(name)
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`No marks for ${name}`)
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`
}
