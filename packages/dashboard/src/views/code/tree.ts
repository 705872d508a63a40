import type { Output } from '../../api.ts'

export type Entry = Output<'code.tree'>['entries'][number]

/** How many written reasons of a file or folder still agree with the code. */
export type Counts = Entry['regions']
export type Freshness = 'fresh' | 'drifted' | 'moved' | 'orphaned' | 'unknown'

/** A file, or a folder with what is in it. */
export interface Branch {
  /** Without the folder that it is in. */
  readonly name: string
  readonly entry: Entry
  readonly branches: readonly Branch[]
}

/** Entries as a tree; they come in its order. A folder that holds one folder alone is shown as one with it. */
export function toTree(entries: readonly Entry[], prefix = ''): readonly Branch[] {
  const branches: Branch[] = []
  for (let at = 0; at < entries.length;) {
    const entry = entries[at]
    if (entry === undefined) break
    let end = at + 1
    if (entry.path.endsWith('/'))
      while (entries[end]?.path.startsWith(entry.path) === true) end += 1
    branches.push(toBranch(entry, toTree(entries.slice(at + 1, end), entry.path), prefix))
    at = end
  }
  return branches
}

function toBranch(entry: Entry, branches: readonly Branch[], prefix: string): Branch {
  const [only] = branches
  const isChain = branches.length === 1 && only?.entry.path.endsWith('/') === true
  if (isChain) return toBranch(only.entry, only.branches, prefix)
  return { name: entry.path.slice(prefix.length), entry, branches }
}
