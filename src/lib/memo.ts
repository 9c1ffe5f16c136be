// Memoizes functions of a string.

/**
 * Memoizes a function.
 * @param make computes the value of a key; errors are not cached
 * @param maxEntries maximum number of cached values; beyond it the cache is cleared, so that untrusted keys cannot
 *   exhaust the memory
 */
export function memoize<Value>(make: (text: string) => Value, maxEntries = 200): (text: string) => Value {
  const known = new Map<string, { value: Value }>()
  return (text) => {
    const cached = known.get(text)
    if (cached) return cached.value
    const value = make(text)
    if (known.size >= maxEntries) known.clear()
    known.set(text, { value })
    return value
  }
}
