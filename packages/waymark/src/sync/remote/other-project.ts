import { Failure } from '../../core/error.ts'
import { mergeBase } from '../../git/refs/merge-base.ts'
import { readLog } from '../log/log-ref.ts'
import { type LogVersion, readSegment } from '../log/log-tree.ts'
import type { LogSync } from '../log-exchange.ts'
import type { Remote } from './remote.ts'

/**
 * Throws if the remote's log shares neither a commit nor an entity with this clone: merging it would give all of it to
 * everyone who syncs with either. A clone whose log no remote has yet may begin with any.
 */
export async function refuseOtherProject(
  { context, repository }: LogSync,
  { name }: Remote,
  theirs: LogVersion,
): Promise<void> {
  const { replica } = context.store
  if (theirs.tip === undefined || !(await replica.pushState.get()).isShared) return
  const ours = await readLog(repository)
  if (ours.tip !== undefined) {
    const common = await mergeBase(repository, ours.tip, theirs.tip)
    if (common !== undefined) return
  }
  let found = 0
  for (const [segment, blob] of theirs.tree) {
    const { lines } = await readSegment(repository, segment, blob)
    const ids = [...new Set(lines.map(({ entityId }) => entityId))]
    if ((await replica.unknownIds(ids)).size < ids.length) return
    found += ids.length
  }
  if (found === 0) return
  throw new Failure(
    'conflict',
    `${name} has the log of another project: none of its ${found} entities is known here; nothing was taken in or sent. ` +
      'To make one project of both for good, run waymark sync --join',
    { details: { reason: 'other_log', remote: name } },
  )
}
