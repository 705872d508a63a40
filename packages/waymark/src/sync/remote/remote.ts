import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/error.ts'
import type { RemoteAccess, Remotes } from '../../git/remote/remotes.ts'
import type { Repository } from '../../git/repository.ts'
import { toGitFailure } from '../../git/run.ts'
import { hideCredentials } from '../../git/config/config-values.ts'
import { LOG_REF } from '../log/log-ref.ts'
import { readSyncSettings } from '../settings.ts'
import { FLUSHED } from '../../git/objects/flushed.ts'

/** Another repository, and the refs that track it. */
export interface Remote {
  readonly name: string
  /** How git reaches it. */
  readonly access: RemoteAccess
  /** The remote-tracking ref of the log. */
  readonly logRef: string
  /** Its name at the remote. */
  readonly remoteLogRef: string
  readonly notes: readonly RemoteNotes[]
  /** Nothing is pushed to it. */
  readonly isReadOnly: boolean
}

/** A local notes ref, its remote-tracking ref, and its name at the remote. */
export interface RemoteNotes {
  readonly ref: string
  readonly remoteRef: string
  readonly there: string
}

interface TrackedRef {
  readonly ref: string
  readonly tracking: string
  /** Its name at the remote. */
  readonly there: string
}

/** Log and notes: here, as last fetched, and at the remote. */
export function refsOf({ logRef, remoteLogRef, notes }: Remote): readonly TrackedRef[] {
  return [
    { ref: LOG_REF, tracking: logRef, there: remoteLogRef },
    ...notes.map(({ ref, remoteRef, there }) => ({ ref, tracking: remoteRef, there })),
  ]
}

type Git = Pick<Repository, 'reach'>

/**
 * The remote to use: the named one, `origin`, or the only one. Undefined if there is none. `onlyNamed`: accept only a
 * configured remote, not an address or a path.
 */
export function findRemote(
  { names, access, user }: Remotes,
  given: string | undefined,
  { notesRefs, onlyNamed }: { readonly notesRefs: readonly string[]; readonly onlyNamed: boolean },
): Remote | undefined {
  const name = given ?? (names.includes('origin') ? 'origin' : names[0])
  if (name === undefined) return undefined
  if (given === undefined && name !== 'origin' && names.length > 1) throw ambiguous(names)
  if (name.startsWith('-') || name.trim() === '' || /\p{Cc}/u.test(name)) {
    throw new Failure(
      'invalid_input',
      'remote: must be the name, path or address of a repository',
      {
        details: { field: 'remote', value: name.slice(0, 100) },
      },
    )
  }
  const isNamed = names.includes(name)
  if (onlyNamed && !isNamed) throw unknown(names)
  const folder = isNamed ? name : `at-${hash(name)}`
  const { namespace, readOnly } = readSyncSettings(user)
  return {
    name,
    access: access(name),
    isReadOnly: readOnly.has(name),
    logRef: `refs/waymark/remotes/${folder}/log`,
    remoteLogRef: namespace === undefined ? LOG_REF : `${namespace}/log`,
    notes: notesRefs.map((ref) => ({
      ref,
      remoteRef: ref.replace(/^refs\/notes\//, `refs/notes/remotes/${folder}/`),
      there: namespace === undefined ? ref : ref.replace(/^refs\//, `${namespace}/`),
    })),
  }
}

/** Fetches the remote's log and notes, if it has any. */
export async function fetchRemote(git: Git, remote: Remote): Promise<void> {
  // Patterns, because git fails on a missing ref that is named exactly.
  const wanted = refsOf(remote).map(({ there, tracking }) => `+${there}*:${tracking}*`)
  // Prune refs that the remote no longer has, or their contents would never be pushed again.
  const options = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head']
  const fetch = [...FLUSHED, 'fetch', '--no-recurse-submodules', ...options]
  const { access } = remote
  const args = [...fetch, '--', access.name, ...wanted]
  for (let tries = 1; ; tries++) {
    const result = await git.reach(args, access.fetch())
    if (result.exitCode === 0) return
    // A concurrent sync of this clone is moving the same refs.
    if (tries >= MOST_TRIES || !RACE.test(result.stderr)) throw toGitFailure(result, access.hint)
    await sleep(20 + 100 * Math.random())
  }
}

const MOST_TRIES = 5
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
/** What a program of the remote says; git's own line adds nothing. */
const SAID = /^remote: (?!error: hook declined)(.*\S)/gm
const RACE =
  /fetch first|non-fast-forward|stale info|cannot lock ref|failed to (?:update|lock)|already exists|incorrect old value/

/** False if another push came first or is in progress: fetch, merge and retry. */
export async function pushRefs(
  git: Git,
  remote: Remote,
  refs: readonly string[],
): Promise<boolean> {
  const specs = refsOf(remote)
    .filter(({ ref }) => refs.includes(ref))
    .map(({ ref, there }) => `${ref}:${there}`)
  const options = [
    '--quiet',
    '--porcelain',
    '--no-verify',
    '--no-signed',
    '--no-recurse-submodules',
  ]
  const { access } = remote
  const args = ['push', ...options, '--', access.name, ...specs]
  const result = await git.reach(args, access.push())
  if (result.exitCode === 0) return true
  const rejected = findRejected(result.stdout)
  if (rejected.some(({ why }) => RACE.test(why)) || RACE.test(result.stderr)) return false
  if (rejected.length === 0) throw toGitFailure(result, access.hint)
  throw refusal(remote, rejected, result.stderr)
}

interface RejectedRef {
  readonly ref: string
  readonly why: string
}

/** What was refused, why, what the server said, what was done all the same, and the ways out. */
function refusal({ name }: Remote, rejected: readonly RejectedRef[], stderr: string): Failure {
  const shown = (text: string) => hideCredentials(text).replaceAll(/\p{C}/gu, '?').slice(0, 300)
  const refs = rejected.map(({ ref, why }) => `${shown(ref)} (${shown(why)})`).join(', ')
  const said = shown([...stderr.matchAll(SAID)].map(([, line = '']) => line).join(' '))
  const quoted = said === '' ? '' : `, and says: ${said}`
  const done = 'what others did is taken in; what was done here is in the log of this clone only'
  const ways =
    'let the server accept these refs, choose others with git config --global waymark.sync.namespace, or only fetch with --no-push'
  return new Failure('conflict', `${name} refuses ${refs}${quoted}; ${done}; ${ways}`, {
    details: {
      reason: 'push_refused',
      remote: name,
      refs: rejected.map(({ ref }) => ref),
      ...(said !== '' && { said }),
    },
  })
}

function ambiguous(names: readonly string[]): Failure {
  return new Failure('invalid_input', `remote: must be one of ${names.join(', ')}`, {
    details: { field: 'remote', rule: 'required', valid: names },
  })
}

function unknown(names: readonly string[]): Failure {
  const valid = names.length === 0 ? 'this repository has none' : `one of ${names.join(', ')}`
  return new Failure('forbidden', `remote: must be a remote of this repository: ${valid}`, {
    details: { field: 'remote', valid: names },
  })
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
