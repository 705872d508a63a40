import type { Verification } from '../verification.ts'
import type { GitCalls } from '../../repository.ts'
import { toGitFailure } from '../../run.ts'

/** Commits per git process; cancellation is checked in between. */
const BATCH_SIZE = 100
const LONGEST_SIGNER = 100

/** Whether the text of a commit has a signature, good or bad. */
export function isSigned(text: string): boolean {
  const header = text.slice(0, text.indexOf('\n\n') + 1)
  return /^gpgsig(?:-sha256)? /m.test(header)
}

/**
 * Verifies signed commits with the keys and the list of signers that the user has given to git. The program that does it
 * is the user's choice too: the repository's own configuration is not in force here.
 */
export async function verifyCommits(
  { run }: Pick<GitCalls, 'run'>,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Verification>> {
  const verified = new Map<string, Verification>()
  const format = '--format=%H%x00%G?%x00%GF%x00%GS'
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    signal?.throwIfAborted()
    const input = ids.slice(at, at + BATCH_SIZE).join('\n')
    const options = { input, ...(signal !== undefined && { signal }) }
    const result = await run(
      ['log', '--no-walk=unsorted', '--no-patch', format, '--stdin'],
      options,
    )
    if (result.exitCode !== 0) throw toGitFailure(result)
    for (const line of result.stdout.split('\n')) {
      const [id = '', state = '', fingerprint = '', signer = ''] = line.split('\0')
      if (id !== '') verified.set(id, toVerification({ state, fingerprint, signer }))
    }
  }
  return verified
}

interface Judged {
  /** As `%G?` spells it. */
  readonly state: string
  readonly fingerprint: string
  readonly signer: string
}

/** Only a valid signature with a key that is trusted is good: not one of an expired, revoked or unknown key. */
function toVerification({ state, fingerprint, signer }: Judged): Verification {
  if (state === 'B') return { signature: 'bad' }
  const isGood = state === 'G'
  const name = (isGood ? signer || fingerprint : fingerprint).slice(0, LONGEST_SIGNER)
  const signature = isGood ? 'good' : 'untrusted'
  return name === '' ? { signature } : { signature, signer: name }
}
