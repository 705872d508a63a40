import type { Verification } from '../../git/objects/verification.ts'
import { isSigned, verifyCommits } from '../../git/objects/commit/commit-signature.ts'
import { readObject } from '../../git/objects/read-object.ts'
import type { Repository } from '../../git/repository.ts'
import { isLogCommit } from './log-ref.ts'
import type { LogOrder } from './log-order.ts'

const LARGEST_COMMIT = 64 * 1024

/** Verifying a commit starts one or two processes. Commits beyond this limit count as signed with an untrusted key. */
const MOST_VERIFIED = 2_000

export const UNSIGNED: Verification = { signature: 'unsigned' }

/**
 * The verification of each segment: the signature of a commit that added it. Later commits that only keep it do not
 * count. No process is started if no commit is signed.
 */
export async function verifySegments(
  git: Pick<Repository, 'run' | 'objects'>,
  { segments, commits }: LogOrder,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Verification>> {
  const signed = new Set<string>()
  for (const id of new Set([...commits.values()].flat())) {
    const commit = await readObject(git.objects, LARGEST_COMMIT, id)
    if (typeof commit === 'string') continue
    const text = commit.content.toString('utf8')
    // A signature under any other commit says nothing about a log: it may be one of the code.
    if (isSigned(text) && isLogCommit(text)) signed.add(id)
  }
  const asked = [...signed].slice(-MOST_VERIFIED)
  const verified = asked.length === 0 ? new Map() : await verifyCommits(git, asked, signal)
  const judge = (id: string): Verification => {
    if (!signed.has(id)) return UNSIGNED
    return verified.get(id) ?? { signature: 'untrusted' }
  }
  return new Map(
    [...segments.keys()].map((name) => [name, strongest((commits.get(name) ?? []).map(judge))]),
  )
}

/** One good signature is enough. */
function strongest(given: readonly Verification[]): Verification {
  for (const signature of ['good', 'untrusted', 'bad'] as const) {
    const found = given.find((each) => each.signature === signature)
    if (found !== undefined) return found
  }
  return UNSIGNED
}
