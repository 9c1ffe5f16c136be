// Renders the guides' Markdown as HTML: headings, paragraphs, lists, tables, code blocks, inline code, links and bold
// text. Guides are trusted input, and JSX escapes their text.
import type { Child } from "hono/jsx"
import { slugify } from "../lib/slug"
import { CodeBlock } from "./highlight"

/** The blocks of a guide, without its first heading, which is the page's title. */
export function Markdown({ text }: { text: string }) {
  return <>{renderBlocks(text)}</>
}

/** The text of a guide's first heading. */
export const extractTitle = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ""

/** The first paragraph of a guide, without its links. */
export const extractLead = (text: string): string =>
  text
    .split(/\n{2,}/)[1]
    ?.replaceAll("\n", " ")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1") ?? ""

function renderBlocks(text: string): Child[] {
  const blocks: Child[] = []
  let rest = text.replaceAll("\r\n", "\n").trim()
  while (rest) {
    const fence = /^```(\w*)(?: (.+))?\n([\s\S]*?)\n```(?:\n+|$)/.exec(rest)
    if (fence) {
      const [whole, language = "", title, code = ""] = fence
      blocks.push(<CodeBlock code={code} language={language} title={title ?? LANGUAGE_NAMES[language]} />)
      rest = rest.slice(whole.length)
      continue
    }
    const [block = ""] = rest.split(/\n{2,}/)
    blocks.push(renderBlock(block))
    rest = rest.slice(block.length).trimStart()
  }
  return blocks
}

const LANGUAGE_NAMES: Record<string, string> = {
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

function renderBlock(block: string): Child {
  const [, hashes = "", heading = ""] = /^(#{1,4}) (.+)$/.exec(block) ?? []
  if (hashes.length === 1) return null
  if (hashes.length === 2) return <h2 id={slugify(heading, 80)}>{renderInline(heading)}</h2>
  if (hashes) return <h3 id={slugify(heading, 80)}>{renderInline(heading)}</h3>
  if (block.startsWith("|")) return <Table rows={block.split("\n")} />
  if (/^[-*] /.test(block)) return <ul>{renderItems(block, /\n(?=[-*] )/, /^[-*] /)}</ul>
  if (/^\d+\. /.test(block)) return <ol>{renderItems(block, /\n(?=\d+\. )/, /^\d+\. /)}</ol>
  return <p>{renderInline(block.replaceAll("\n", " "))}</p>
}

const renderItems = (block: string, separator: RegExp, marker: RegExp): Child[] =>
  block.split(separator).map((item) => <li>{renderInline(item.replace(marker, "").replace(/\n\s*/g, " "))}</li>)

function Table({ rows }: { rows: string[] }) {
  const cells = rows.map((row) =>
    row
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim()),
  )
  const [head = [], , ...body] = cells
  return (
    // Focusable, so that the arrow keys scroll a wide table on a phone.
    <div class="scroll" tabindex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th>{renderInline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{renderInline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Renders inline code, links and strong text. */
export function renderInline(text: string): Child[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((part) => {
    if (/^`.+`$/.test(part)) return <code>{part.slice(1, -1)}</code>
    if (/^\*\*.+\*\*$/.test(part)) return <strong>{part.slice(2, -2)}</strong>
    const [, label, href] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? []
    return label && href ? <a href={href}>{label}</a> : part
  })
}
