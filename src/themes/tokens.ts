// Converts a preset's tokens to CSS custom properties.
import type { Tokens } from "./theme"

/** Builds the `:root` rule with the custom properties of a preset. */
export function customProperties(tokens: Tokens): string {
  const art = tokens.art.map((color, index) => `--art-${index}:${color}`).join(";")
  return `:root{color-scheme:${tokens.scheme};--ground:${tokens.ground};--surface:${tokens.surface};--ink:${tokens.ink};--muted:${tokens.muted};--line:${tokens.line};--accent:${tokens.accent};--on-accent:${tokens.onAccent};${art};--display:${tokens.display};--text:${tokens.text}}`
}
