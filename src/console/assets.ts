// The console's two files, under names that change with what is in them, so that a browser may keep them for ever.
import { createHash } from "node:crypto"
import { SCRIPT, STYLE } from "./assets/built"

const named = (text: string, extension: string) =>
  `/console/assets/${createHash("sha256").update(text).digest("hex").slice(0, 16)}.${extension}`

export const STYLE_PATH = named(STYLE, "css")
export const SCRIPT_PATH = named(SCRIPT, "js")

const FILES: Record<string, { text: string; type: string }> = {
  [STYLE_PATH]: { text: STYLE, type: "text/css; charset=utf-8" },
  [SCRIPT_PATH]: { text: SCRIPT, type: "text/javascript; charset=utf-8" },
}

/** The file of a path, to be kept for a year; null for a path of no file. */
export function asset(path: string): Response | null {
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined
  if (!file) return path.startsWith("/console/assets/") ? new Response("Not found.\n", { status: 404 }) : null
  return new Response(file.text, {
    headers: { "Content-Type": file.type, "Cache-Control": "public, max-age=31536000, immutable" },
  })
}
