/** A title as part of a file name or a name to type: `use-sqlite`. */
export function toSlug(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
  return slug === '' ? 'untitled' : slug
}

interface Titled {
  readonly number: number
  readonly title: string
}

/** A slug for each, its number added, as often as needed, where another one, or a reserved word, was first. */
export function toUniqueSlugs<T extends Titled>(
  things: readonly T[],
  reserved: readonly string[] = [],
): ReadonlyMap<string, T> {
  const bySlug = new Map<string, T>()
  const taken = new Set(reserved)
  for (const thing of things.toSorted((a, b) => a.number - b.number)) {
    let name = toSlug(thing.title)
    // With its number it may be what another one is called by its title.
    while (taken.has(name)) name += `-${thing.number}`
    taken.add(name)
    bySlug.set(name, thing)
  }
  return bySlug
}
