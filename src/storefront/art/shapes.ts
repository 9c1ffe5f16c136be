// SVG path data of the shapes in generated art. Coordinates are rounded to keep the markup small.

const round = Math.round

/** A disc. */
export function disc(x: number, y: number, radius: number): string {
  const r = round(radius)
  return `M${round(x) - r} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`
}

/** A round stone lying flat. */
export function pebble(x: number, y: number, reach: number, rise: number): string {
  const [rx, ry] = [round(reach), round(rise)]
  return `M${round(x) - rx} ${round(y)}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`
}

/** A rectangle by its upper left corner. */
export function block(x: number, y: number, width: number, height: number): string {
  return `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${-round(width)}z`
}

/** A doorway on `floor`: straight sides up to the height `spring`, with a half circle on top. */
export function arch(x: number, floor: number, spring: number, radius: number): string {
  const r = round(radius)
  return `M${round(x) - r} ${round(floor)}V${round(spring)}a${r} ${r} 0 0 1 ${2 * r} 0V${round(floor)}z`
}

/** Half a disc on a flat side: 0 up, 1 down. */
export function half(x: number, y: number, radius: number, turned: 0 | 1): string {
  const r = round(radius)
  return `M${round(x) - r} ${round(y)}a${r} ${r} 0 0 ${turned ? 0 : 1} ${2 * r} 0z`
}

/** A quarter disc that fills a square cell; `corner` counts clockwise from the upper left. */
export function quarter(x: number, y: number, side: number, corner: number): string {
  const s = round(side)
  const [left, top, right, bottom] = [round(x), round(y), round(x) + s, round(y) + s]
  const arc = `a${s} ${s} 0 0 1 `
  if (corner === 0) return `M${left} ${top}h${s}${arc}${-s} ${s}z`
  if (corner === 1) return `M${right} ${top}v${s}${arc}${-s} ${-s}z`
  if (corner === 2) return `M${right} ${bottom}h${-s}${arc}${s} ${-s}z`
  return `M${left} ${bottom}v${-s}${arc}${s} ${s}z`
}

/** A leaf that extends from a point by `reach` to the side (negative to the left) and about as far upwards. */
export function leaf(x: number, y: number, reach: number): string {
  const up = Math.abs(reach)
  return `M${round(x)} ${round(y)}c${round(reach * 0.05)} ${round(-up * 0.65)} ${round(reach * 0.5)} ${round(-up * 0.95)} ${round(reach)} ${round(-up * 0.9)}c${round(reach * 0.02)} ${round(up * 0.55)} ${round(-reach * 0.4)} ${round(up * 0.95)} ${round(-reach)} ${round(up * 0.9)}z`
}

/** Distances of a vessel's outline from its centre line, and its height. */
type Profile = { foot: number; belly: number; neck: number; lip: number; height: number }

/** A vase seen from the side. */
export function vessel(x: number, floor: number, { foot, belly, neck, lip, height }: Profile): string {
  const side = (sign: 1 | -1, share: number, width: number) =>
    `${round(x + sign * width)} ${round(floor - share * height)}`
  return (
    `M${side(-1, 0, foot)}C${side(-1, 0.12, belly * 1.15)} ${side(-1, 0.5, belly * 1.25)} ${side(-1, 0.74, neck)}` +
    `Q${side(-1, 0.9, neck)} ${side(-1, 1, lip)}L${side(1, 1, lip)}Q${side(1, 0.9, neck)} ${side(1, 0.74, neck)}` +
    `C${side(1, 0.5, belly * 1.25)} ${side(1, 0.12, belly * 1.15)} ${side(1, 0, foot)}z`
  )
}
