import { execFileSync } from 'node:child_process'
import { openContents } from '../../packages/waymark/src/artifact/content/store.ts'
import type { Store } from '../../packages/waymark/src/core/store/store.ts'
import { toEntityId } from '../../packages/waymark/src/entity/entity-id.ts'

/** What a writer was told had happened. */
export type Acknowledgement =
  | {
      readonly kind: 'create' | 'task' | 'message' | 'note' | 'artifact'
      readonly id: string
      /** What it says; of an artifact the hash of its bytes. */
      readonly text: string
    }
  | { readonly kind: 'update' | 'claim'; readonly id: string; readonly count: number }

export interface Refusal {
  readonly refused: string
}

export function isAcknowledgement(line: Acknowledgement | Refusal): line is Acknowledgement {
  return 'kind' in line
}

interface Places {
  /** Folder of the store. */
  readonly state: string
  /** The repository, if annotations are looked for too. */
  readonly directory?: string
}

/** Those of them that are not there any more. */
export async function findLost(
  store: Store,
  acknowledged: readonly Acknowledgement[],
  { state, directory }: Places,
): Promise<Acknowledgement[]> {
  const notes = directory === undefined ? '' : readNotes(directory)
  const contents = openContents(state, 2 ** 30)
  const lost: Acknowledgement[] = []
  for (const each of acknowledged) {
    const isKept =
      (await isThere(store, each, notes)) &&
      (each.kind !== 'artifact' || (await contents.verify(each.text)) === 'intact')
    if (!isKept) lost.push(each)
  }
  return lost
}

async function isThere(store: Store, each: Acknowledgement, notes: string): Promise<boolean> {
  switch (each.kind) {
    case 'create':
    case 'task':
      return (await store.entities.byId(toEntityId(each.id)))?.title === each.text
    case 'update':
      return Number((await store.entities.byId(toEntityId(each.id)))?.content) >= each.count
    case 'claim':
      return Number((await store.leases.of(toEntityId(each.id)))?.fence) >= each.count
    case 'message':
      return (await store.messages.byId(Number(each.id)))?.body === each.text
    case 'artifact':
      return (await store.artifacts.byIdPrefix(each.id, 1))[0]?.hash === each.text
    case 'note':
      return notes.includes(each.id)
  }
}

/** How many there are of each kind. */
export function countKinds(acknowledged: readonly Acknowledgement[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of acknowledged) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function readNotes(directory: string): string {
  return git(directory, 'log', '--all', '--notes=*', '--format=%N')
}

export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
