// Path data of the shapes that generated pictures are made of; whole numbers, so that a picture stays small.

const n = Math.round

/** A disc. */
export function disc(x: number, y: number, radius: number): string {
  const r = n(radius)
  return `M${n(x) - r} ${n(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`
}

/** A round stone lying flat. */
export function pebble(x: number, y: number, reach: number, rise: number): string {
  const [rx, ry] = [n(reach), n(rise)]
  return `M${n(x) - rx} ${n(y)}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`
}

/** A rectangle by its upper left corner. */
export function block(x: number, y: number, width: number, height: number): string {
  return `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${-n(width)}z`
}

/** A doorway standing on `floor`: straight sides, a half circle on top, `spring` being the height where it begins. */
export function arch(x: number, floor: number, spring: number, radius: number): string {
  const r = n(radius)
  return `M${n(x) - r} ${n(floor)}V${n(spring)}a${r} ${r} 0 0 1 ${2 * r} 0V${n(floor)}z`
}

/** Half a disc on a flat side: 0 up, 1 down. */
export function half(x: number, y: number, radius: number, turned: 0 | 1): string {
  const r = n(radius)
  return `M${n(x) - r} ${n(y)}a${r} ${r} 0 0 ${turned ? 0 : 1} ${2 * r} 0z`
}

/** A quarter disc filling a square cell, its corner in one of the cell's four corners, clockwise from the upper left. */
export function quarter(x: number, y: number, side: number, corner: number): string {
  const s = n(side)
  const [left, top, right, bottom] = [n(x), n(y), n(x) + s, n(y) + s]
  const arc = `a${s} ${s} 0 0 1 `
  if (corner === 0) return `M${left} ${top}h${s}${arc}${-s} ${s}z`
  if (corner === 1) return `M${right} ${top}v${s}${arc}${-s} ${-s}z`
  if (corner === 2) return `M${right} ${bottom}h${-s}${arc}${s} ${-s}z`
  return `M${left} ${bottom}v${-s}${arc}${s} ${s}z`
}

/** A leaf that grows out of a point, `reach` to the side (negative to the left) and about as much upwards. */
export function leaf(x: number, y: number, reach: number): string {
  const up = Math.abs(reach)
  return `M${n(x)} ${n(y)}c${n(reach * 0.05)} ${n(-up * 0.65)} ${n(reach * 0.5)} ${n(-up * 0.95)} ${n(reach)} ${n(-up * 0.9)}c${n(reach * 0.02)} ${n(up * 0.55)} ${n(-reach * 0.4)} ${n(up * 0.95)} ${n(-reach)} ${n(up * 0.9)}z`
}

/** Widths of a vessel from its middle line, and its height. */
type Profile = { foot: number; belly: number; neck: number; lip: number; height: number }

/** A vase seen from the side. */
export function vessel(x: number, floor: number, { foot, belly, neck, lip, height }: Profile): string {
  const side = (sign: 1 | -1, share: number, width: number) => `${n(x + sign * width)} ${n(floor - share * height)}`
  return (
    `M${side(-1, 0, foot)}C${side(-1, 0.12, belly * 1.15)} ${side(-1, 0.5, belly * 1.25)} ${side(-1, 0.74, neck)}` +
    `Q${side(-1, 0.9, neck)} ${side(-1, 1, lip)}L${side(1, 1, lip)}Q${side(1, 0.9, neck)} ${side(1, 0.74, neck)}` +
    `C${side(1, 0.5, belly * 1.25)} ${side(1, 0.12, belly * 1.15)} ${side(1, 0, foot)}z`
  )
}
