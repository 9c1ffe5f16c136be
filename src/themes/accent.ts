// Replaces the accent color of a preset by that of a shop, so that text in it and on it stays readable.
import { memoize } from "../lib/memo"
import type { Hex, Tokens } from "./theme"

/** The contrast of text in WCAG 2.2, level AA. */
const MIN_CONTRAST = 4.5

/** Steps from a color to black or white. */
const STEPS = 20

/** Parses a color; null for anything but `#rrggbb`. */
export const parseHex = (text: string): Hex | null => (/^#[0-9a-f]{6}$/.test(text) ? (text as Hex) : null)

/**
 * Returns the tokens with another accent color. A color with too little contrast to the backgrounds is darkened on
 * light ones, and lightened on dark ones, until it is readable. The text on it is the preset's, or black or white.
 */
export const withAccent = (tokens: Tokens, accent: Hex): Tokens => accentBuilder(tokens)(accent)

const accentBuilder = memoize((tokens: Tokens) =>
  memoize((chosen: Hex): Tokens => {
    const accent = toReadable(chosen, tokens)
    const texts: Hex[] = [tokens.onAccent, tokens.ground, "#ffffff", "#000000"]
    const onAccent = texts.find((text) => getContrast(text, accent) >= MIN_CONTRAST) ?? tokens.onAccent
    return { ...tokens, accent, onAccent }
  }),
)

function toReadable(chosen: Hex, { scheme, ground, surface }: Tokens): Hex {
  const limit = scheme === "light" ? 0 : 255
  const candidates = Array.from({ length: STEPS + 1 }, (_, step) => mix(chosen, limit, step / STEPS))
  const isReadable = (color: Hex) => [ground, surface].every((other) => getContrast(color, other) >= MIN_CONTRAST)
  return candidates.find(isReadable) ?? mix(chosen, limit, 1)
}

const toChannels = (color: Hex): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

const mix = (color: Hex, limit: number, share: number): Hex =>
  `#${toChannels(color)
    .map((channel) => Math.round(channel + (limit - channel) * share))
    .map((channel) => channel.toString(16).padStart(2, "0"))
    .join("")}`

/** The contrast ratio of two colors (WCAG 2.2): 1 for equal ones, 21 for black on white. */
function getContrast(one: Hex, other: Hex): number {
  const [dark = 0, light = 0] = [getLuminance(one), getLuminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function getLuminance(color: Hex): number {
  const [red = 0, green = 0, blue = 0] = toChannels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
