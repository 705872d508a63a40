import { Failure } from '../../core/error.ts'
import type { CodeSource } from '../../git/code-source.ts'
import type { Repository } from '../../git/repository.ts'
import { UNATTENDED } from './remote-knowledge.ts'

/** How long git may take with a remote while no one is looking; a first fetch of a long log is included. */
const LONGEST_CALL_MS = 10 * 60_000

/** The same repository for calls in the background: git asks for nothing and gives up in time. */
export function unattended(source: CodeSource): CodeSource {
  return { ...source, repository: async () => withoutQuestions(await source.repository()) }
}

function withoutQuestions(repository: Repository): Repository {
  const reach: Repository['reach'] = async (args, call, options = {}) => {
    const time = AbortSignal.timeout(LONGEST_CALL_MS)
    const { signal = time, extraVariables } = options
    try {
      return await repository.reach(args, call, {
        ...options,
        signal: AbortSignal.any([signal, time]),
        extraVariables: { ...UNATTENDED, ...extraVariables },
      })
    } catch (error) {
      if (!time.aborted) throw error
      throw new Failure('timeout', `git did not end within ${LONGEST_CALL_MS / 60_000} minutes`, {
        details: { reason: 'remote_unreachable' },
      })
    }
  }
  return Object.assign(Object.create(repository) as Repository, { reach })
}
