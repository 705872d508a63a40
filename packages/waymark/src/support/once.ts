/** Makes the value when it is first asked for, and the same one ever after. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
