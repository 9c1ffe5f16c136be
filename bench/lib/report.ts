// Writes docs/operations/benchmarks.md: the tables of the last run of each topic, with the machine's description.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, platform, release, totalmem } from "node:os"
import { join } from "node:path"
import { root } from "../../tools/lib/project.ts"
import { listNotes } from "./notes.ts"

const REPORT_FILE = join(root, "docs/operations/benchmarks.md")

const HEADER = `# Benchmarks

\`npm run bench\` measures all topics and writes this page; \`npm run bench -- <topic>\` replaces one section. Values that
are compared are measured in the same run, in alternating rounds, so other load on the machine affects all of them
alike. Ratios and row counts are portable; milliseconds are not. Every section names the machine, its load and the date.

Machines of one type differ by more than a factor of two from day to day, so compare milliseconds only within a date.
The first row of [reads](#reads), a Worker that does nothing, tells how fast the machine was.
`

/** Describes the machine in one line. */
function describeMachine(): string {
  const [cpu] = cpus()
  const busy = loadavg()[0] ?? 0
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${cpu?.model.trim() || "a processor"}, ${memory} GB, ${platform()} ${release()}, load ${busy.toFixed(1)}, ${new Date().toISOString().slice(0, 10)}`
}

/** Formats a Markdown table; the first row is the header. */
function formatTable([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) =>
    `| ${head.map((_, at) => (cells[at] ?? "").replaceAll("|", "\\\\|").trim()).join(" | ")} |`
  return [line(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(line)].join("\n")
}

/** Parses the sections of the page by topic. */
function parseSections(page: string): Map<string, string> {
  const sections = page.split(/^## /m).slice(1)
  return new Map(sections.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trim()]))
}

/**
 * Replaces the sections of the measured topics; others stay unchanged.
 * @param measured tables by topic; the first row is the header
 * @param topics all topics in order
 */
export function writeReport(measured: ReadonlyMap<string, string[][]>, topics: readonly string[]): void {
  const parts = parseSections(existsSync(REPORT_FILE) ? readFileSync(REPORT_FILE, "utf8") : "")
  for (const [topic, table] of measured) {
    const notes = listNotes(topic, table)
    parts.set(topic, [formatTable(table), ...notes, `${describeMachine()}.`].join("\n\n"))
  }
  const known = topics.filter((topic) => parts.has(topic)).map((topic) => `## ${topic}\n\n${parts.get(topic)}\n`)
  writeFileSync(REPORT_FILE, [HEADER, ...known].join("\n"))
}
