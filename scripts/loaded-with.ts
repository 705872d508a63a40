import type { ChunkingContext } from 'rolldown'

const loadedWithStart = new Map<string, ReadonlySet<string>>()

/** The module and all that it imports, and they in turn, without what is imported on demand. */
export function loadedWith(start: string, context: ChunkingContext): ReadonlySet<string> {
  const known = loadedWithStart.get(start)
  if (known !== undefined) return known
  const loaded = new Set([start])
  for (const id of loaded) {
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) loaded.add(imported)
  }
  loadedWithStart.set(start, loaded)
  return loaded
}
