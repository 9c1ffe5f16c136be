// The guides' Markdown as HTML: headings, paragraphs, lists, tables, code, and inline code, links and strong words. It is our own text,
// and what is no markup in it is escaped by JSX.
import type { Child } from "hono/jsx"
import { slugify } from "../lib/slug"
import { Code } from "./highlight"

/** A guide's blocks. The first heading is the page's title and left out. */
export function Markdown({ text }: { text: string }) {
  return <>{blocks(text)}</>
}

/** A guide's title. */
export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ""

/** A guide's first paragraph. */
export const leadOf = (text: string): string => text.split(/\n{2,}/)[1]?.replaceAll("\n", " ") ?? ""

function blocks(text: string): Child[] {
  const found: Child[] = []
  let rest = text.replaceAll("\r\n", "\n").trim()
  while (rest) {
    const fence = /^```(\w*)(?: (.+))?\n([\s\S]*?)\n```(?:\n+|$)/.exec(rest)
    if (fence) {
      const [whole, language = "", title, code = ""] = fence
      found.push(<Code code={code} language={language} title={title ?? LANGUAGES[language]} />)
      rest = rest.slice(whole.length)
      continue
    }
    const [block = ""] = rest.split(/\n{2,}/)
    found.push(blockOf(block))
    rest = rest.slice(block.length).trimStart()
  }
  return found
}

const LANGUAGES: Record<string, string> = {
  sh: "Shell",
  bash: "Shell",
  ts: "TypeScript",
  js: "JavaScript",
  php: "PHP",
  python: "Python",
  go: "Go",
  ruby: "Ruby",
  json: "JSON",
  http: "HTTP",
}

function blockOf(block: string): Child {
  const [, marks = "", heading = ""] = /^(#{1,4}) (.+)$/.exec(block) ?? []
  if (marks.length === 1) return null
  if (marks.length === 2) return <h2 id={slugify(heading, 80)}>{inline(heading)}</h2>
  if (marks) return <h3 id={slugify(heading, 80)}>{inline(heading)}</h3>
  if (block.startsWith("|")) return <Table rows={block.split("\n")} />
  if (/^[-*] /.test(block)) return <ul>{items(block, /\n(?=[-*] )/, /^[-*] /)}</ul>
  if (/^\d+\. /.test(block)) return <ol>{items(block, /\n(?=\d+\. )/, /^\d+\. /)}</ol>
  return <p>{inline(block.replaceAll("\n", " "))}</p>
}

const items = (block: string, between: RegExp, mark: RegExp): Child[] =>
  block.split(between).map((item) => <li>{inline(item.replace(mark, "").replace(/\n\s*/g, " "))}</li>)

function Table({ rows }: { rows: string[] }) {
  const cells = rows.map((row) =>
    row
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim()),
  )
  const [head = [], , ...body] = cells
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th>{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Inline code, links and strong words. */
export function inline(text: string): Child[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((part) => {
    if (/^`.+`$/.test(part)) return <code>{part.slice(1, -1)}</code>
    if (/^\*\*.+\*\*$/.test(part)) return <strong>{part.slice(2, -2)}</strong>
    const [, words, target] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? []
    return words && target ? <a href={target}>{words}</a> : part
  })
}
