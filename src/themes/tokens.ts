// Writes a preset's tokens as the custom properties that every rule of the stylesheet reads.
import type { Tokens } from "./theme"

/**
 * @param tokens the preset's values
 * @returns one `:root` rule
 */
export function customProperties(tokens: Tokens): string {
  const art = tokens.art.map((colour, index) => `--art-${index}:${colour}`).join(";")
  return `:root{color-scheme:${tokens.scheme};--ground:${tokens.ground};--surface:${tokens.surface};--ink:${tokens.ink};--muted:${tokens.muted};--line:${tokens.line};--accent:${tokens.accent};--on-accent:${tokens.onAccent};${art};--display:${tokens.display};--text:${tokens.text}}`
}
