// Computes the contrast ratio of two colors (WCAG 2.2).
import type { Hex } from "../../src/themes/theme"

/** @returns 1 for equal colors, up to 21 for black on white */
export function contrast(one: Hex, other: Hex): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Hex): number {
  const channel = (at: number) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
