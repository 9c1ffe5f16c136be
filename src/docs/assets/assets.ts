// The stylesheet and the script under names that change with what is in them, so that they may be kept for ever.
import { sha256 } from "../../lib/hash"
import { script } from "./script"
import { style } from "./style"

export interface Assets {
  style: string
  script: string
}

const hashed = async (text: string, ending: string) => `${(await sha256(text)).slice(0, 16)}.${ending}`

let names: Promise<Assets> | undefined

/** The assets' file names. */
export function assetNames(): Promise<Assets> {
  names ??= Promise.all([hashed(style, "css"), hashed(script, "js")]).then(([style, script]) => ({ style, script }))
  return names
}

/** An asset by its file name; null for any other, also one of another version. */
export async function asset(name: string): Promise<{ text: string; type: string } | null> {
  const known = await assetNames()
  if (name === known.style) return { text: style, type: "text/css; charset=utf-8" }
  return name === known.script ? { text: script, type: "text/javascript; charset=utf-8" } : null
}
