import { Failure } from '../../../core/error.ts'
import type { Repository } from '../../repository.ts'
import { toGitFailure } from '../../run.ts'
import type { NewCommit } from './commit-text.ts'
import { readObject } from '../read-object.ts'

const LARGEST_COMMIT = 64 * 1024

/**
 * Creates a signed commit with the user's key and program, and returns its text. Git writes it as an unreachable object that
 * garbage collection may delete, so the caller has to write it again. The tree must be there already.
 */
export async function signCommit(
  { run, objects }: Pick<Repository, 'run' | 'objects'>,
  { tree, parents, who, at, message }: NewCommit,
  signal?: AbortSignal,
): Promise<Buffer> {
  const end = who.lastIndexOf(' <')
  const [name, email] = [who.slice(0, end), who.slice(end + 2, -1)]
  const date = `${Math.floor(at / 1000)} +0000`
  const variables = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
  const result = await run(
    ['commit-tree', '-S', tree, ...parents.flatMap((parent) => ['-p', parent])],
    { input: `${message}\n`, extraVariables: variables, ...(signal !== undefined && { signal }) },
  )
  if (result.exitCode !== 0) throw cannotSign(result)
  const commit = await readObject(objects, LARGEST_COMMIT, result.stdout.trim())
  if (typeof commit === 'string') throw cannotSign(result)
  return commit.content
}

function cannotSign(result: Parameters<typeof toGitFailure>[0]): Failure {
  const check = 'check user.signingKey and gpg.format in your own Git settings'
  const off = 'turn signing off with git config --global --unset waymark.sync.sign'
  const { code, message } = toGitFailure(result, `${check}, or ${off}`)
  return new Failure(code, `waymark.sync.sign: the log could not be signed; ${message}`, {
    details: { reason: 'signing', setting: 'waymark.sync.sign' },
  })
}
