import { moveRef } from '../../git/refs/move-ref.ts'
import type { Repository } from '../../git/repository.ts'
import { type GitOptions, toGitFailure } from '../../git/run.ts'
import { fetchRemote, refsOf, type Remote } from './remote.ts'

/** What refs of a remote point to, by their name there. */
export type RemoteTips = ReadonlyMap<string, string>

const LINE = /^([0-9a-f]{40}|[0-9a-f]{64})\t(refs\/\S+)$/

/** What the remote's log, notes and register point to, in one round trip that fetches nothing. */
export async function readTips(
  repository: Pick<Repository, 'reach'>,
  remote: Remote,
  options: Pick<GitOptions, 'signal' | 'extraVariables'> = {},
): Promise<RemoteTips> {
  const { access, remoteLiveRef } = remote
  const refs = [...refsOf(remote).map(({ there }) => there), remoteLiveRef]
  const args = ['ls-remote', '--quiet', '--refs', '--', access.name, ...refs]
  const result = await repository.reach(args, access.fetch(), options)
  if (result.exitCode !== 0) throw toGitFailure(result, access.hint)
  // The last part of a ref is enough for git; other refs may end alike.
  const wanted = new Set(refs)
  return new Map(
    result.stdout.split('\n').flatMap((line) => {
      const [, id = '', ref = ''] = LINE.exec(line) ?? []
      return wanted.has(ref) ? [[ref, id] as const] : []
    }),
  )
}

/** Fetches log and notes, unless they are here as the remote has them. */
export async function fetchNews(
  repository: Repository,
  remote: Remote,
  tips: RemoteTips,
): Promise<void> {
  const { objects } = repository
  for (const { ref, tracking, there } of refsOf(remote)) {
    const [ours, known] = await objects.infos([ref, tracking])
    const tip = tips.get(there)
    if (tip === known?.id) continue
    // What was pushed last from here: only the ref that tracks the remote is behind.
    const isPushed = tip !== undefined && tip === ours?.id
    const move = { ref: tracking, to: tip ?? '', from: known?.id, why: 'waymark sync' }
    if (!isPushed || (await moveRef(repository, move)) !== 'moved') {
      return await fetchRemote(repository, remote)
    }
  }
}
