// What a migration may look like. Wrangler sends a remote database each file as one text, and D1 takes it apart at the
// semicolons over there, by a splitter that knows less SQL than SQLite does: what it stumbles over is kept out of the files. The
// local databases take all of it, so that no local run would notice.

/** Ends of a statement that only a contract migration may hold; see `contractMarker`. */
const DROPS = /\bDROP\s+(TABLE|VIEW|INDEX|TRIGGER|COLUMN)\s+(?:IF\s+EXISTS\s+)?[`"]?(\w+)[`"]?/gi
const CREATES = /\bCREATE\s+(?:UNIQUE\s+)?(VIEW|INDEX|TRIGGER)\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"]?(\w+)[`"]?/gi

/** The first line of a migration that takes away what the release before it still uses. */
export const contractMarker = "-- contract: nothing of the release before this one uses what goes here."

/**
 * What the remote splitter, or the next reader, would stumble over.
 * @param sql the text of one migration file
 * @returns sentences with the number of the line; empty when the file may stand
 */
export function formFaults(sql: string): string[] {
  const faults: string[] = []
  if (sql.includes("\r")) faults.push("line endings must be LF")
  let inTrigger = false
  for (const [index, line] of sql.split("\n").entries()) {
    const say = (fault: string) => faults.push(`line ${index + 1}: ${fault}`)
    const comment = commentIn(line)
    if (comment === null) {
      if (line.includes("/*")) say("comments are lines that begin with --")
      if (/\bCREATE\s+TRIGGER\b/i.test(line)) inTrigger = true
      if (inTrigger) for (const fault of triggerFaults(line)) say(fault)
      if (/\bEND;/i.test(line)) inTrigger = false
    } else {
      if (!/^\s*--/.test(line) && !comment.startsWith("--> statement-breakpoint"))
        say("a comment has a line of its own")
      if (/['"`;]/.test(comment)) say("a comment has no quotes, apostrophes, backticks or semicolons")
    }
  }
  if (inTrigger) faults.push("the last trigger has no END; of its own")
  return faults
}

/**
 * What a migration takes away: a version of the Worker that is still running, or that is gone back to, may need it. What is
 * dropped and made anew in the same file (a view, an index, a trigger) is replaced, and takes nothing away.
 * @param sql the text of one migration file
 * @returns the statements' beginnings, such as `DROP TABLE enabled_apps`; empty for a migration that only adds
 */
export function destroys(sql: string): string[] {
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

/** Whether a migration says that it takes something away. */
export const isContract = (sql: string): boolean => sql.startsWith("-- contract:")

/** Text of the comment of a line, or null when the line has none. Two dashes within a string begin no comment. */
function commentIn(line: string): string | null {
  const at = line.replace(/'(?:[^']|'')*'/g, (text) => "x".repeat(text.length)).indexOf("--")
  return at < 0 ? null : line.slice(at)
}

/** One style: a head that ends in BEGIN, indented statements, END; on a line of its own. */
function triggerFaults(line: string): string[] {
  const words: string[] =
    line
      .replace(/'(?:[^']|'')*'/g, "''")
      .replace(/`[^`]*`/g, "``")
      .match(/\b(begin|end|case)\b/gi) ?? []
  return words.flatMap((word) => {
    if (/case/i.test(word)) return ["a trigger has no CASE: its END is taken for the end of the trigger"]
    if (word !== word.toUpperCase()) return ["BEGIN and END are upper case"]
    if (word === "BEGIN" && !/\bBEGIN$/.test(line)) return ["BEGIN ends the line of its trigger"]
    if (word === "END" && line !== "END;") return ["END; has a line of its own"]
    return []
  })
}

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*$/gm, "").replace(/--> statement-breakpoint/g, "")

const outsideTriggers = (sql: string): string => sql.replace(/\bCREATE\s+TRIGGER\b[\s\S]*?^END;/gim, "")
