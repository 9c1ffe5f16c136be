// Types of a composition, and helpers that the compositions share.

/** Index into the preset's five art colors, background first. */
export type Tone = 0 | 1 | 2 | 3 | 4
export type Mark = { tone: Tone; path: string }
export type Composition = (random: () => number, width: number, height: number) => Mark[]

export const between = (random: () => number, low: number, high: number) => low + random() * (high - low)
export const pick = <T>(random: () => number, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0]

/** Width of a subject. Three subjects fill a panorama, so one is in the centre however it is cropped. */
const SUBJECT_WIDTH = 400

/** Divides a width into equal columns. Returns their centres and their width. */
export function columns(width: number): { x: number; span: number }[] {
  const count = Math.max(1, Math.round(width / SUBJECT_WIDTH))
  return Array.from({ length: count }, (_, index) => ({ x: (width / count) * (index + 0.5), span: width / count }))
}
