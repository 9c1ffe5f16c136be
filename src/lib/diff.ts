// Compares two lists of texts by their longest common subsequence.

export interface Change {
  kind: "same" | "removed" | "added"
  items: string[]
}

/** Comparisons in one table. Longer parts without a common beginning or end count as replaced. */
const MAX_COMPARISONS = 100_000

/** Returns the runs of equal, removed and added items in order. */
export function diff(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const changes: Change[] = []
  const add = (kind: Change["kind"], items: readonly string[]) => {
    if (!items.length) return
    const last = changes.at(-1)
    if (last?.kind === kind) last.items.push(...items)
    else changes.push({ kind, items: [...items] })
  }
  add("same", before.slice(0, start))
  for (const [kind, item] of compare(before.slice(start, before.length - end), after.slice(start, after.length - end)))
    add(kind, item)
  add("same", before.slice(before.length - end))
  return changes
}

type Step = [kind: Change["kind"], items: readonly string[]]

function compare(before: readonly string[], after: readonly string[]): Step[] {
  const width = after.length + 1
  if (before.length * after.length > MAX_COMPARISONS)
    return [
      ["removed", before],
      ["added", after],
    ]
  // lengths[i * width + j]: the length of the longest common subsequence from before[i] and after[j] on.
  const lengths = new Uint16Array((before.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const steps: Step[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      steps.push(["same", before.slice(i, i + 1)])
      i++
      j++
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      steps.push(["removed", before.slice(i, ++i)])
    } else steps.push(["added", after.slice(j, ++j)])
  }
  return steps
}
