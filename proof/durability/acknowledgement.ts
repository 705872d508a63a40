import { execFileSync } from 'node:child_process'
import type { Store } from '../../packages/waymark/src/store/store.ts'

/** What a writer was told had happened. */
export type Acknowledgement =
  | {
      readonly kind: 'create' | 'task' | 'message' | 'note'
      readonly id: string
      readonly text: string
    }
  | { readonly kind: 'update' | 'claim'; readonly id: string; readonly count: number }

export interface Refusal {
  readonly refused: string
}

export function isAcknowledgement(line: Acknowledgement | Refusal): line is Acknowledgement {
  return 'kind' in line
}

/** Those of them that are not there any more. */
export async function findLost(
  store: Store,
  acknowledged: readonly Acknowledgement[],
  directory?: string,
): Promise<Acknowledgement[]> {
  const notes = directory === undefined ? '' : readNotes(directory)
  const lost: Acknowledgement[] = []
  for (const each of acknowledged) {
    if (!(await isThere(store, each, notes))) lost.push(each)
  }
  return lost
}

async function isThere(store: Store, each: Acknowledgement, notes: string): Promise<boolean> {
  switch (each.kind) {
    case 'create':
    case 'task':
      return (await store.entities.byId(each.id))?.title === each.text
    case 'update':
      return Number((await store.entities.byId(each.id))?.content) >= each.count
    case 'claim':
      return Number((await store.leases.of(each.id))?.fence) >= each.count
    case 'message':
      return (await store.messages.byId(Number(each.id)))?.body === each.text
    case 'note':
      return notes.includes(each.id)
  }
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
