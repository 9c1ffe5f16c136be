// Tables of a surface's routes in Markdown, made from the routes themselves.
import type { RouteInfo } from "../../src/core/http/route.ts"

/** Marks around a generated part of a document. */
const marks = (name: string): [begin: string, end: string] => [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`]

const table = (head: string[], rows: (string | number)[][]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const shortPath = (path: string, prefix: string) => `\`${path.slice(prefix.length)}\``

/**
 * One line a route: verb, path, scope, what it is for, its status, what it may refuse with.
 * @param prefix the surface's base path, left out of the table
 */
export const accessTable = (routes: RouteInfo[], prefix: string): string =>
  table(
    ["Verb", "Path", "Scope", "What it does", "Status", "May refuse with"],
    routes.map(({ method, path, summary, answers, refuses = [], input }) => {
      const validated = input.json || input.query ? ["validation_failed"] : []
      const codes = [...new Set([...validated, ...refuses])].map((code) => `\`${code}\``).join(" ")
      return [method, shortPath(path, prefix), method === "GET" ? "read" : "write", summary, answers[0].status, codes]
    }),
  )

/** One line a route: verb, path, what it is for, its status. */
export const plainTable = (routes: RouteInfo[], prefix: string): string =>
  table(
    ["Verb", "Path", "What it does", "Status"],
    routes.map(({ method, path, summary, answers }) => [method, shortPath(path, prefix), summary, answers[0].status]),
  )

/** `text` with what stands between the marks of `name` replaced; throws when the marks are missing. */
export function replaceMarked(text: string, name: string, content: string): string {
  const [begin, end] = marks(name)
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`No marks for ${name}`)
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`
}
