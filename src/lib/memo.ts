// Memoizes functions whose result depends on their argument only.

/**
 * Memoizes a function.
 * @param make computes the value of a key, from the key only; errors are not cached
 * @param maxEntries maximum number of cached values; beyond it the cache is cleared, so that untrusted keys cannot
 *   exhaust the memory
 */
export function memoize<Key, Value>(make: (key: Key) => Value, maxEntries = 200): (key: Key) => Value {
  const known = new Map<Key, { value: Value }>()
  return (key) => {
    const cached = known.get(key)
    if (cached) return cached.value
    const value = make(key)
    if (known.size >= maxEntries) known.clear()
    known.set(key, { value })
    return value
  }
}
