import type { Context } from '../core/context.ts'
import { moveDamagedAway } from '../git/objects/damaged-objects.ts'
import { objectFormat } from '../git/objects/object-format.ts'
import { ObjectWriter } from '../git/objects/object-writer.ts'
import { isPartialClone } from '../git/objects/partial-clone.ts'
import { inspectRef, type RefDamage } from '../git/refs/inspect-ref.ts'
import { isDamagedRef } from '../git/refs/damaged-ref.ts'
import { moveRef } from '../git/refs/move-ref.ts'
import { replaceRef } from '../git/refs/replace-ref.ts'
import type { RefState } from '../git/refs/ref-state.ts'
import type { Repository } from '../git/repository.ts'
import { LOG_REF, readLog, writeLogCommit } from '../sync/log/log-ref.ts'
import { type LogTree, readSegmentText } from '../sync/log/log-tree.ts'

export interface LogInspection {
  readonly state: RefState
  readonly damage?: RefDamage
}

/** Checks that the log ref resolves to existing segments, not their contents. */
export async function inspectLog(repository: Repository): Promise<LogInspection> {
  const { state, damage } = await inspectRef(repository, LOG_REF)
  if (damage !== undefined || state.kind !== 'commit') return { state, ...(damage && { damage }) }
  const tree = await readTreeOf(repository)
  if (tree === undefined) {
    return { state, damage: { problem: 'its tree is not in this repository', isSymbolic: false } }
  }
  if (isPartialClone(repository)) return { state }
  const infos = await repository.objects.infos([...tree.values()])
  const missing = infos.filter((info) => info === undefined).length
  if (missing === 0) return { state }
  const problem = `${missing} of its ${tree.size} segments are not in this repository`
  return { state, damage: { problem, isSymbolic: false } }
}

async function readTreeOf(repository: Repository): Promise<LogTree | undefined> {
  try {
    return (await readLog(repository)).tree
  } catch (error) {
    if (isDamagedRef(error)) return undefined
    throw error
  }
}

/**
 * Rebuilds the log from the remaining segments, without history. The next sync writes the missing changes again from the
 * store. Returns the number of segments kept; undefined if another process moved the log meanwhile.
 */
export async function repairLog(
  context: Context,
  repository: Repository,
  state: RefState,
): Promise<number | undefined> {
  using writer = new ObjectWriter(repository, objectFormat(repository))
  for (const id of await objectsOf(repository, state)) await moveDamagedAway(repository, id)
  const kept = new Map<string, string>()
  for (const [name, blob] of (await readTreeOf(repository)) ?? []) {
    const text = await readSegmentText(repository, blob)
    if (text === undefined) continue
    kept.set(name, writer.add('blob', text))
    await writer.flush()
  }
  const at = context.now()
  const to = kept.size === 0 ? undefined : await writeLogCommit({ writer, at }, kept, [])
  if (state.kind === 'commit' && to !== undefined) {
    const move = { ref: LOG_REF, to, from: state.id, why: 'waymark doctor' }
    return (await moveRef(repository, move)) === 'moved' ? kept.size : undefined
  }
  await replaceRef(repository, { ref: LOG_REF, to, at })
  return kept.size
}

/** The readable objects behind the ref: the commit, its tree and the segments. */
async function objectsOf(repository: Repository, state: RefState): Promise<readonly string[]> {
  if (state.kind === 'damaged') return [state.value]
  if (state.kind !== 'commit') return []
  const commit = await repository.commits.get(state.id)
  const segments = (await readTreeOf(repository))?.values() ?? []
  return [...(commit === undefined ? [] : [commit.tree]), ...segments]
}
