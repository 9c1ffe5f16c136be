// File names as clients give them, made fit to be shown, stored and sent back.
import { composed } from "./text"

/** Control characters, marks that turn the direction of text, invisible ones (but the joiners that scripts and emoji need). */
const MISLEADING = /[\p{Cc}\p{Co}\p{Cn}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]/gu

/** The longest name, in characters. */
const LONGEST = 200
const LONGEST_EXTENSION = 20

/** UTF-16 units of a name's two ends that are looked at: the end has the extension. */
const HEAD = 2 * LONGEST
const TAIL = 2 * LONGEST_EXTENSION

/**
 * A file name without a path and without characters that could mislead: control characters, invisible and
 * direction-changing ones, lone surrogates, and those that some file system gives a meaning.
 * @returns at most 200 characters with the extension kept; `file` when nothing is left
 */
export function sanitiseFileName(given: string): string {
  const base = given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1)
  const ends = base.length > HEAD + TAIL ? base.slice(0, HEAD) + base.slice(-TAIL) : base
  const clean = composed(ends)
    .replace(MISLEADING, "")
    .replace(/[<>:"|?*]/g, "-")
    .replace(/\s+/gu, " ")
  const { stem, extension } = splitFileName(trimmed(clean) || "file")
  return (
    [...stem]
      .slice(0, LONGEST - [...extension].length)
      .join("")
      .trimEnd() + extension
  )
}

/** Without the dots and blanks at either end. */
function trimmed(name: string): string {
  let start = 0
  let end = name.length
  while (start < end && DOT_OR_BLANK.has(name[start])) start++
  while (end > start && DOT_OR_BLANK.has(name[end - 1])) end--
  return name.slice(start, end)
}

const DOT_OR_BLANK = new Set<string | undefined>([".", " "])

/** A name's two halves; the extension keeps its dot and is empty when there is none, or when it is too long to be one. */
export function splitFileName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf(".")
  const isExtension = dot > 0 && dot < name.length - 1 && [...name.slice(dot)].length <= LONGEST_EXTENSION
  return isExtension ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: "" }
}

/**
 * A Content-Disposition header (RFC 6266).
 * @param name may hold any character; those that ASCII lacks go into the extended form
 */
export function contentDisposition(type: "inline" | "attachment", name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_")
  const extended = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `${type}; filename="${ascii}"; filename*=UTF-8''${extended}`
}
