import { Failure } from '../../core/error.ts'
import { hideCredentials } from '../../git/config/config-values.ts'
import type { GitResult } from '../../git/run.ts'

interface RejectedRef {
  readonly ref: string
  readonly why: string
}

/** What a program of the remote says; git's own line adds nothing. */
const SAID = /^remote: (?!error: hook declined)(.*\S)/gm
const RACE =
  /fetch first|non-fast-forward|stale info|cannot lock ref|failed to (?:update|lock)|already exists|incorrect old value/

/** Whether another process, here or at the remote, was moving the same refs. */
export function isRace({ stdout, stderr }: GitResult): boolean {
  return findRejected(stdout).some(({ why }) => RACE.test(why)) || RACE.test(stderr)
}

/** What was refused, why, what the server said, and the ways out. Undefined if no ref was refused. */
export function refusedBy(
  { name }: { readonly name: string },
  { stdout, stderr }: GitResult,
  waysOut: string,
): Failure | undefined {
  const rejected = findRejected(stdout)
  if (rejected.length === 0) return undefined
  const shown = (text: string) => hideCredentials(text).replaceAll(/\p{C}/gu, '?').slice(0, 300)
  const refs = rejected.map(({ ref, why }) => `${shown(ref)} (${shown(why)})`).join(', ')
  const said = shown([...stderr.matchAll(SAID)].map(([, line = '']) => line).join(' '))
  const quoted = said === '' ? '' : `, and says: ${said}`
  return new Failure('conflict', `${name} refuses ${refs}${quoted}; ${waysOut}`, {
    details: {
      reason: 'push_refused',
      remote: name,
      refs: rejected.map(({ ref }) => ref),
      ...(said !== '' && { said }),
    },
  })
}

/** The refs that a remote has refused, as `git push --porcelain` tells it. */
function findRejected(porcelain: string): readonly RejectedRef[] {
  return porcelain.split('\n').flatMap((line) => {
    const [flag, refs = '', summary = ''] = line.split('\t')
    const why = /^\[(?:remote )?rejected\] \((.*)\)/.exec(summary)?.[1]
    return flag !== '!' || why === undefined
      ? []
      : [{ ref: refs.slice(refs.indexOf(':') + 1), why }]
  })
}
