// docs/benchmarks.md: the tables of the last run of each topic, with the machine that they were measured on.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, platform, release, totalmem } from "node:os"
import { join } from "node:path"
import { root } from "../../tools/lib/project.ts"

const FILE = join(root, "docs/benchmarks.md")

const HEAD = `# Benchmarks

\`npm run bench\` writes this page; \`npm run bench -- <topic>\` writes the part of one topic anew. What is compared is measured in one run,
round after round in turn, so that whatever else the machine does falls on all of it alike: ratios and counts of rows travel, milliseconds
do not. Every part names the machine it was measured on, how busy that was, and the day.
`

/** What is measured on, in a line. */
function machine(): string {
  const [cpu] = cpus()
  const busy = loadavg()[0] ?? 0
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${cpu?.model.trim() || "a processor"}, ${memory} GB, ${platform()} ${release()}, load ${busy.toFixed(1)}, ${new Date().toISOString().slice(0, 10)}`
}

/** A table of Markdown; the first row is its head. */
function markdown([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) =>
    `| ${head.map((_, at) => (cells[at] ?? "").replaceAll("|", "\\\\|").trim()).join(" | ")} |`
  return [line(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(line)].join("\n")
}

/** The parts of the page by topic. */
export function partsOf(page: string): Map<string, string> {
  const parts = page.split(/^## /m).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trim()]))
}

/**
 * Writes the tables of topics into the page; the parts of others stay.
 * @param measured tables by topic, the first row of each its head
 * @param topics all there are, in their order
 */
export function report(measured: ReadonlyMap<string, string[][]>, topics: readonly string[]): void {
  const parts = partsOf(existsSync(FILE) ? readFileSync(FILE, "utf8") : "")
  for (const [topic, table] of measured) parts.set(topic, `${markdown(table)}\n\n${machine()}.`)
  const known = topics.filter((topic) => parts.has(topic)).map((topic) => `## ${topic}\n\n${parts.get(topic)}\n`)
  writeFileSync(FILE, [HEAD, ...known].join("\n"))
}
