import { groupBy } from '../../data/task/group-by.ts'
import { call } from '../../data/call.ts'

export type Freshness = 'fresh' | 'drifted' | 'moved' | 'orphaned' | 'unknown'

/** How many written reasons of a file or folder still agree with the code. */
export type Counts = Readonly<Partial<Record<Freshness, number>>>

interface FileEntry {
  readonly path: string
  readonly counts: Counts
}

export interface Folder {
  readonly path: string
  readonly counts: Counts
  readonly files: readonly FileEntry[]
}

/** Files with reasons by folder. */
export async function loadFolders(signal: AbortSignal): Promise<readonly Folder[]> {
  const { units } = await call('code.summary', { path: '.', limit: 1000 }, { signal })
  const files = [...groupBy(units, ({ file }) => file)].map(([path, members]): FileEntry => ({
    path,
    counts: countStates(members.map(({ state }) => state)),
  }))
  return toFolders(files)
}

function toFolders(files: readonly FileEntry[]): readonly Folder[] {
  return [...groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1))]
    .map(([path, members]): Folder => ({
      path: path === '' ? './' : path,
      counts: addCounts(members.map(({ counts }) => counts)),
      files: members.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

function countStates(states: readonly Freshness[]): Counts {
  const counts: Partial<Record<Freshness, number>> = {}
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

function addCounts(all: readonly Counts[]): Counts {
  const sum: Partial<Record<Freshness, number>> = {}
  for (const counts of all)
    for (const [state, count] of Object.entries(counts))
      sum[state as Freshness] = (sum[state as Freshness] ?? 0) + count
  return sum
}
