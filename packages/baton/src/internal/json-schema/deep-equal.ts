/** Whether two JSON values are equal. */
export function isDeepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if (left === null || right === null || Array.isArray(left) !== Array.isArray(right)) return false
  const leftEntries = Object.entries(left)
  if (leftEntries.length !== Object.keys(right).length) return false
  return leftEntries.every(
    ([name, value]) =>
      Object.hasOwn(right, name) && isDeepEqual(value, (right as Record<string, unknown>)[name]),
  )
}
