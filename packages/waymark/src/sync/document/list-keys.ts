const NTH = '\u0000'

/** A name for every item of a list that no other item has: the second of two equal ones gets a number. */
export function toListKeys(values: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return values.map((value) => {
    const count = (seen.get(value) ?? 0) + 1
    seen.set(value, count)
    return count === 1 ? value : `${value}${NTH}${count}`
  })
}

/** The items in the order of their places; those that two clones put in the same place, in the order of the alphabet. */
export function toListValues(places: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(places)
    .map(([key, place]) => ({ key, place: typeof place === 'number' ? place : 0 }))
    .toSorted((a, b) => a.place - b.place || (a.key < b.key ? -1 : 1))
    .map(({ key }) => key.split(NTH, 1)[0] ?? key)
}
