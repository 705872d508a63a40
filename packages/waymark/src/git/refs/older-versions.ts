import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../repository.ts'
import { readPacked } from './ref-state.ts'
import { type CommitId, toCommitId } from '../history/commit-id.ts'

const MOST_VERSIONS = 50
const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /

/** Where a ref was before, the latest first: from its reflog, and from the refs that were packed. */
export function olderVersions({ layout }: Pick<Repository, 'layout'>, ref: string): CommitId[] {
  const { commonDir } = layout()
  const ids = [...readReflog(commonDir, ref), readPacked(commonDir, ref) ?? '']
  const known = [...new Set(ids)].filter((id) => /[1-9a-f]/.test(id))
  return known.slice(0, MOST_VERSIONS).map(toCommitId)
}

function readReflog(commonDir: string, ref: string): readonly string[] {
  try {
    const lines = readFileSync(join(commonDir, 'logs', ref), 'latin1')
      .trimEnd()
      .split('\n')
    return lines
      .slice(-MOST_VERSIONS)
      .toReversed()
      .flatMap((line) => ENTRY.exec(line)?.slice(1).toReversed() ?? [])
  } catch {
    // Not every ref has one.
    return []
  }
}
