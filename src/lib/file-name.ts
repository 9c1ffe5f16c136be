// Sanitizes file names from clients and builds Content-Disposition headers.
import { toNfc } from "./text"

/** Control characters, direction marks and invisible characters, except the joiners that scripts and emoji need. */
const MISLEADING = /[\p{Cc}\p{Co}\p{Cn}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]/gu

/** In characters. */
const MAX_NAME_LENGTH = 200
const MAX_EXTENSION_LENGTH = 20

/** UTF-16 units of the start and end of a name that are processed; the end contains the extension. */
const HEAD = 2 * MAX_NAME_LENGTH
const TAIL = 2 * MAX_EXTENSION_LENGTH

/**
 * Removes the path and misleading characters from a file name: control characters, invisible and
 * direction-changing ones, lone surrogates, and those with a meaning in some file system.
 * @returns at most 200 characters, including the extension; `file` when nothing is left
 */
export function sanitiseFileName(fileName: string): string {
  const base = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1)
  const ends = base.length > HEAD + TAIL ? base.slice(0, HEAD) + base.slice(-TAIL) : base
  const clean = toNfc(ends)
    .replace(MISLEADING, "")
    .replace(/[<>:"|?*]/g, "-")
    .replace(/\s+/gu, " ")
  const { stem, extension } = splitFileName(trimmed(clean) || "file")
  return (
    [...stem]
      .slice(0, MAX_NAME_LENGTH - [...extension].length)
      .join("")
      .trimEnd() + extension
  )
}

/** Trims dots and blanks from both ends. */
function trimmed(name: string): string {
  let start = 0
  let end = name.length
  while (start < end && DOT_OR_BLANK.has(name[start])) start++
  while (end > start && DOT_OR_BLANK.has(name[end - 1])) end--
  return name.slice(start, end)
}

const DOT_OR_BLANK = new Set<string | undefined>([".", " "])

/** Splits a name into stem and extension; the extension includes its dot, and is empty when absent or too long. */
export function splitFileName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf(".")
  const isExtension = dot > 0 && dot < name.length - 1 && [...name.slice(dot)].length <= MAX_EXTENSION_LENGTH
  return isExtension ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: "" }
}

/**
 * Builds a Content-Disposition header (RFC 6266).
 * @param name may contain any character; non-ASCII ones use the extended form
 */
export function contentDisposition(type: "inline" | "attachment", name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_")
  const extended = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `${type}; filename="${ascii}"; filename*=UTF-8''${extended}`
}
