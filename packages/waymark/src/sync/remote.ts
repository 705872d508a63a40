import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../core/error.ts'
import type { RemoteAccess, Remotes } from '../git/remote/remotes.ts'
import type { Repository } from '../git/repository.ts'
import { toGitFailure } from '../git/run.ts'
import { LOG_REF } from './log/log-ref.ts'
import { FLUSHED } from '../git/objects/flushed.ts'

/** Another repository, and the refs that track it. */
export interface Remote {
  readonly name: string
  /** How git reaches it. */
  readonly access: RemoteAccess
  readonly logRef: string
  readonly notes: readonly RemoteNotes[]
}

/** A local notes ref and its remote-tracking ref. */
export interface RemoteNotes {
  readonly ref: string
  readonly remoteRef: string
}

type Git = Pick<Repository, 'reach'>

/**
 * The remote to use: the named one, `origin`, or the only one. Undefined if there is none. `onlyNamed`: accept only a
 * configured remote, not an address or a path.
 */
export function findRemote(
  { names, access }: Remotes,
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
  return {
    name,
    access: access(name),
    logRef: `refs/waymark/remotes/${folder}/log`,
    notes: notesRefs.map((ref) => ({
      ref,
      remoteRef: ref.replace(/^refs\/notes\//, `refs/notes/remotes/${folder}/`),
    })),
  }
}

/** Fetches the remote's log and notes, if it has any. */
export async function fetchRemote(git: Git, remote: Remote): Promise<void> {
  // Patterns, because git fails on a missing ref that is named exactly.
  const wanted = [
    `+${LOG_REF}*:${remote.logRef}*`,
    ...remote.notes.map(({ ref, remoteRef }) => `+${ref}*:${remoteRef}*`),
  ]
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
const REJECTED = /^!\t[^\t\n]*\t\[(?:remote )?rejected\] \((.*)/m
const RACE =
  /fetch first|non-fast-forward|stale info|cannot lock ref|failed to (?:update|lock)|already exists|incorrect old value/

/** False if another push came first or is in progress: fetch, merge and retry. */
export async function pushRefs(
  git: Git,
  remote: Remote,
  refs: readonly string[],
): Promise<boolean> {
  const specs = refs.map((ref) => `${ref}:${ref}`)
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
  const reason = REJECTED.exec(result.stdout)?.[1]?.replace(/\)$/, '') ?? ''
  if (RACE.test(reason) || RACE.test(result.stderr)) return false
  if (reason === '') throw toGitFailure(result, access.hint)
  const shown = reason.replaceAll(/\p{C}/gu, '?').slice(0, 200)
  throw new Failure('conflict', `${remote.name} refuses the push: ${shown}`, {
    details: { reason: 'push_refused', remote: remote.name },
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
