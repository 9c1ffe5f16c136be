// Checks the format of migrations. Wrangler sends a remote database each file as one text, and D1 splits it into
// statements with a parser that knows less SQL than SQLite. Local databases accept everything, so this check keeps
// constructs that the remote parser misreads out of the files.

/** Statements that only a contract migration may contain; see `contractMarker`. */
const DROPS = /\bDROP\s+(TABLE|VIEW|INDEX|TRIGGER|COLUMN)\s+(?:IF\s+EXISTS\s+)?[`"]?(\w+)[`"]?/gi
const CREATES =
  /\bCREATE\s+(?:UNIQUE\s+|VIRTUAL\s+)?(VIEW|INDEX|TRIGGER|(?<=VIRTUAL\s+)TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"]?(\w+)[`"]?/gi

/** The first line of a migration that removes something the previous release still uses. */
export const contractMarker = "-- contract: nothing of the release before this one uses what goes here."

/**
 * Finds violations of the required format, which D1's remote splitter or a reader would misread.
 * @param sql the text of one migration file
 * @returns messages with line numbers; empty when the file is valid
 */
export function findFormatErrors(sql: string): string[] {
  const errors: string[] = []
  if (sql.includes("\r")) errors.push("line endings must be LF")
  let inTrigger = false
  for (const [index, line] of sql.split("\n").entries()) {
    const report = (error: string) => errors.push(`line ${index + 1}: ${error}`)
    const comment = commentIn(line)
    if (comment === null) {
      if (line.includes("/*")) report("comments are lines that begin with --")
      if (/\bCREATE\s+TRIGGER\b/i.test(line)) inTrigger = true
      if (inTrigger) for (const error of findTriggerErrors(line)) report(error)
      if (/\bEND;/i.test(line)) inTrigger = false
    } else {
      if (!/^\s*--/.test(line) && !comment.startsWith("--> statement-breakpoint"))
        report("a comment must be on its own line")
      if (/['"`;]/.test(comment)) report("a comment has no quotes, apostrophes, backticks or semicolons")
    }
  }
  if (inTrigger) errors.push("the last trigger must end with its own END;")
  return errors
}

/**
 * What a migration takes away: a version of the Worker that is still running, or that is gone back to, may need it.
 * A view, an index, a search index (a virtual table) or a trigger that the same file creates again is replaced, not
 * removed.
 * @param sql the text of one migration file
 * @returns the beginnings of the statements, such as `DROP TABLE enabled_apps`; empty for a migration that only adds
 */
export function findRemovals(sql: string): string[] {
  const text = withoutComments(sql)
  const made = new Set([...text.matchAll(CREATES)].map(([, kind, name]) => `${kind} ${name}`.toUpperCase()))
  const dropped = [...text.matchAll(DROPS)]
    .filter(([, kind, name]) => !made.has(`${kind} ${name}`.toUpperCase()))
    .map(([, kind, name]) => `DROP ${kind?.toUpperCase()} ${name}`)
  const renamed = [...text.matchAll(/\bALTER\s+TABLE\s+\S+\s+RENAME\b/gi)].map(([statement]) => statement)
  const emptied = [...outsideTriggers(text).matchAll(/^\s*DELETE\s+FROM\s+\S+/gim)].map(([statement]) =>
    statement.trim(),
  )
  return [...dropped, ...renamed, ...emptied]
}

/** Whether a migration is marked as one that removes something. */
export const isContract = (sql: string): boolean => sql.startsWith("-- contract:")

/** Returns the comment of a line, or null. Two dashes within a string do not start a comment. */
function commentIn(line: string): string | null {
  const at = line.replace(/'(?:[^']|'')*'/g, (text) => "x".repeat(text.length)).indexOf("--")
  return at < 0 ? null : line.slice(at)
}

/** Checks a trigger's format: a head that ends in BEGIN, indented statements, END; on its own line. */
function findTriggerErrors(line: string): string[] {
  const words: string[] =
    line
      .replace(/'(?:[^']|'')*'/g, "''")
      .replace(/`[^`]*`/g, "``")
      .match(/\b(begin|end|case)\b/gi) ?? []
  return words.flatMap((word) => {
    if (/case/i.test(word)) return ["a trigger has no CASE: its END is taken for the end of the trigger"]
    if (word !== word.toUpperCase()) return ["BEGIN and END are upper case"]
    if (word === "BEGIN" && !/\bBEGIN$/.test(line)) return ["BEGIN ends the line of its trigger"]
    if (word === "END" && line !== "END;") return ["END; must be on its own line"]
    return []
  })
}

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*$/gm, "").replace(/--> statement-breakpoint/g, "")

const outsideTriggers = (sql: string): string => sql.replace(/\bCREATE\s+TRIGGER\b[\s\S]*?^END;/gim, "")
