import type { Context } from '../../core/context.ts'
import type { SetAside } from '../notes/note-limits.ts'
import { mergeNotes } from './merge-notes.ts'
import { refTip } from '../../git/refs/ref-tip.ts'
import type { Repository } from '../../git/repository.ts'
import type { Progress } from '../../core/progress.ts'
import { copyWritten } from '../notes/copy-notes.ts'
import { assertNotLost } from '../write/write-annotations.ts'

export interface TakenOver {
  /** How many notes have changed here. */
  readonly changed: number
  /** Notes that were not joined, or are not read, because they exceed a bound. */
  readonly setAside: readonly SetAside[]
}

/** Merges the notes of another ref into one of ours and brings the store's copy up to date. */
export async function takeOverNotes(
  context: Context,
  repository: Repository,
  { ref, from }: { readonly ref: string; readonly from: string },
  progress?: Progress,
): Promise<TakenOver> {
  const tip = await refTip(repository, from)
  if (tip === undefined) return { changed: 0, setAside: [] }
  await assertNotLost(context, repository, { ref, from: tip })
  const author = context.agent.name ?? 'waymark'
  let advance: ((done: number) => void) | undefined
  const merged = await mergeNotes(repository, {
    ref,
    from,
    author,
    at: context.now(),
    signal: context.signal,
    onProgress: (done, total) => {
      advance ??= progress?.phase('joining annotations', total)
      advance?.(done)
    },
  })
  if (merged.changed + merged.setAside.length === 0) return merged
  const { setAside } = await copyWritten(context, repository, ref)
  return { ...merged, setAside: [...merged.setAside, ...setAside] }
}
