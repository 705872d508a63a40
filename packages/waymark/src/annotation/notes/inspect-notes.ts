import { counted } from '../../core/show.ts'
import { LARGEST_NOTE } from './note-limits.ts'
import { isPartialClone } from '../../git/objects/partial-clone.ts'
import { readObject } from '../../git/objects/read-object.ts'
import { inspectRef, type RefDamage } from '../../git/refs/inspect-ref.ts'
import type { RefState } from '../../git/refs/ref-state.ts'
import type { Repository } from '../../git/repository.ts'
import { inGroups } from './in-groups.ts'
import { BrokenTree, NotesTree } from './notes-tree.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

export interface NotesInspection {
  readonly state: RefState
  readonly damage?: RefDamage
}

const SHOWN = 5

/** Whether all notes of a ref can be read, and all commits of its history. */
export async function inspectNotes(repository: Repository, ref: string): Promise<NotesInspection> {
  const { state, damage } = await inspectRef(repository, ref)
  if (damage !== undefined || state.kind !== 'commit') return { state, ...(damage && { damage }) }
  const problem = await problemIn(repository, state.id)
  return { state, ...(problem !== undefined && { damage: { problem, isSymbolic: false } }) }
}

async function problemIn(repository: Repository, tip: CommitId): Promise<string | undefined> {
  try {
    const tree = new NotesTree(repository, tip)
    const [notes, aside] = [await tree.all(), await tree.allAside()]
    if (isPartialClone(repository)) return undefined
    const lost: string[] = []
    for (const [commit, blob] of aside) {
      if (await isAnyMissing(repository, [blob])) lost.push(commit.slice(0, 12))
    }
    for await (const group of inGroups(repository, [...notes], ([, blobs]) => blobs)) {
      for (const [commit, blobs] of group) {
        if (await isAnyMissing(repository, blobs)) lost.push(commit.slice(0, 12))
      }
    }
    if (lost.length === 0) return undefined
    const others = lost.length > SHOWN ? `, and ${lost.length - SHOWN} more` : ''
    return `the notes of ${counted(lost.length, 'commit')} cannot be read: ${lost.slice(0, SHOWN).join(', ')}${others}`
  } catch (error) {
    if (error instanceof BrokenTree) return error.message
    throw error
  }
}

async function isAnyMissing({ objects }: Repository, blobs: readonly string[]): Promise<boolean> {
  for (const blob of blobs) {
    if ((await readObject(objects, LARGEST_NOTE, blob)) === 'missing') return true
  }
  return false
}
