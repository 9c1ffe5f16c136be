// Values that are made once and kept.

/**
 * A function that makes the value of a text once.
 * @param make from a text to its value; what it throws is thrown each time
 * @param most values that are kept; one more, and it begins anew, so that texts from outside cannot fill the memory
 */
export function memo<Value>(make: (text: string) => Value, most = 200): (text: string) => Value {
  const known = new Map<string, { value: Value }>()
  return (text) => {
    const found = known.get(text)
    if (found) return found.value
    const value = make(text)
    if (known.size >= most) known.clear()
    known.set(text, { value })
    return value
  }
}
