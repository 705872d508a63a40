/** Distinct texts in the cache; real clients send a handful. */
const MAX_ENTRIES = 64

/** Caches a function of a text that almost every request calls with the same few texts, such as header values. */
export function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const valuesByText = new Map<string, T>()
  return (text) => {
    const known = valuesByText.get(text)
    if (known !== undefined) return known
    const value = compute(text)
    // A client that sends always new texts only makes each call cost as much as without the cache.
    if (valuesByText.size >= MAX_ENTRIES) valuesByText.clear()
    valuesByText.set(text, value)
    return value
  }
}
