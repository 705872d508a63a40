import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/error.ts'
import type { RemoteAccess, Remotes } from '../../git/remote/remotes.ts'
import type { Repository } from '../../git/repository.ts'
import { toGitFailure } from '../../git/run.ts'
import { LOG_REF } from '../log/log-ref.ts'
import { readSyncSettings } from '../settings.ts'
import { isRace, refusedBy } from './push-result.ts'
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
  /** Where the remote has what is live: leases of all clones. */
  readonly remoteLiveRef: string
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
    remoteLiveRef: `${namespace ?? 'refs/waymark'}/live`,
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
    if (tries >= MOST_TRIES || !isRace(result)) throw toGitFailure(result, access.hint)
    await sleep(20 + 100 * Math.random())
  }
}

const MOST_TRIES = 5

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
  if (isRace(result)) return false
  throw refusedBy(remote, result, WAYS_OUT) ?? toGitFailure(result, access.hint)
}

const WAYS_OUT =
  'what others did is taken in; what was done here is in the log of this clone only; let the server accept these refs, ' +
  'choose others with git config --global waymark.sync.namespace, or only fetch with --no-push'

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
