import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../error.ts'
import type { Repository } from '../repository.ts'
import { type GitResult, toGitFailure } from '../run.ts'
import { assertWithoutNotes, findNotes, notesTip, readBlobs, unreadableNote } from './read-notes.ts'
import { withFileLock } from './file-lock.ts'

/** What is acknowledged must survive a power cut; git alone leaves new objects and refs to the operating system. */
export const FLUSHED = ['-c', 'core.fsync=committed,reference']

/** How a note becomes another: gets what is there now, gives what shall be there, or undefined to leave it. */
export type NoteEdit = (body: string | undefined) => string | undefined

export interface NotesUpdate {
  readonly ref: string
  /** An edit for each commit. It may run several times: whenever somebody else was faster, on what they wrote. */
  readonly edits: ReadonlyMap<string, NoteEdit>
  /** Who is named as the writer of the notes' own history. */
  readonly author: string
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** A second parent, when another history of the notes is merged into this one. */
  readonly mergeOf?: string
}

const PATIENCE_MS = 20_000
const LOCK_PATIENCE_MS = 10_000
const LONGEST_PAUSE_MS = 500

/**
 * Changes many notes at once: all of them or none. Git's own `notes add` loses most of what several processes write
 * at the same time; here the ref moves only if it is still where it was read, and otherwise everything is read again.
 */
export async function updateNotes(repository: Repository, update: NotesUpdate): Promise<void> {
  await withFileLock(join(repository.stateDir, 'notes.lock'), LOCK_PATIENCE_MS, async () => {
    const deadline = performance.now() + PATIENCE_MS
    for (let tries = 1; ; tries += 1) {
      const result = await attempt(repository, update)
      if (result.exitCode === 0) return
      if (!isRaceLost(result)) throw toGitFailure(result)
      if (performance.now() > deadline) throw blocked(result)
      // A lock that stays is looked at less and less often: each look starts a git.
      await sleep(Math.min(5 * tries, LONGEST_PAUSE_MS) * (0.5 + Math.random()))
    }
  })
}

async function attempt(repository: Repository, update: NotesUpdate): Promise<GitResult> {
  const tip = await notesTip(repository, update.ref)
  const changes = await Promise.all(
    [...update.edits].map(([commit, edit]) => editOne(repository, tip, commit, edit)),
  )
  const needed = changes.filter((change) => change !== undefined)
  if (needed.length === 0 && update.mergeOf === undefined) return DONE
  const added = needed.filter(({ isNew }) => isNew).map(({ commit }) => commit)
  if (tip !== undefined) await assertWithoutNotes(repository, tip, added)
  const args = [...FLUSHED, 'fast-import', '--quiet', '--done']
  const result = await repository.run(args, { input: toStream(update, tip, needed) })
  if (result.exitCode === 128) await removeCrashReport(repository, result.stderr)
  return result
}

const DONE: GitResult = { exitCode: 0, stdout: '', stderr: '' }

interface Change {
  readonly commit: string
  readonly body: string
  /** No note of this commit was found. */
  readonly isNew: boolean
  /** Where in the tree the note is written, if that is not left to fast-import. */
  readonly path?: string
  /** Where it stands as well, and shall no longer. */
  readonly elsewhere: readonly string[]
}

async function editOne(
  repository: Repository,
  tip: string | undefined,
  commit: string,
  edit: NoteEdit,
): Promise<Change | undefined> {
  const places = tip === undefined ? [] : await findNotes(repository, tip, commit)
  const paths = places.map(({ path }) => path)
  const blobs = places.map(({ blob }) => blob).join(' ')
  const current = blobs === '' ? undefined : await readBlobs(repository, blobs)
  if (current === undefined && blobs !== '') throw unreadableNote(commit)
  const body = edit(current)
  if (body === undefined || (body === current && places.length === 1)) return undefined
  const path = paths.at(-1) ?? (await pathOfNew(repository, commit))
  const [isNew, elsewhere] = [places.length === 0, paths.slice(0, -1)]
  return { commit, body, isNew, elsewhere, ...(path !== undefined && { path }) }
}

/**
 * A note is changed where it stands: fast-import would look for it only where it would put it itself, and leave the
 * old one standing elsewhere. It also refuses the notes of commits that this clone does not have.
 */
async function pathOfNew(repository: Repository, commit: string): Promise<string | undefined> {
  const isKnown = (await repository.objects.info(commit))?.type === 'commit'
  return isKnown ? undefined : commit
}

function toStream(
  { ref, author, message, at, mergeOf }: NotesUpdate,
  tip: string | undefined,
  changes: readonly Change[],
): Buffer {
  const name = author.replaceAll(/[<>\p{C}]/gu, ' ').trim()
  const parts = [
    `commit ${ref}\n`,
    `committer ${name === '' ? 'waymark' : name} <> ${Math.floor(at / 1000)} +0000\n`,
    ...data(message),
    // `^0` names the commit itself, so that the ref moves only if it still points there.
    ...[tip, mergeOf]
      .filter((parent) => parent !== undefined)
      .map((parent, at) => `${at === 0 ? 'from' : 'merge'} ${parent}^0\n`),
    ...changes.flatMap(({ commit, body, path, elsewhere }) => [
      ...elsewhere.map((other) => `D ${other}\n`),
      path === undefined ? `N inline ${commit}\n` : `M 100644 inline ${path}\n`,
      ...data(body),
    ]),
    'done\n',
  ]
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'utf8')))
}

function data(text: string): readonly string[] {
  return [`data ${Buffer.byteLength(text)}\n`, text, '\n']
}

/** Somebody else moved the ref, or is moving it at this moment. */
function isRaceLost({ exitCode, stderr }: GitResult): boolean {
  return exitCode === 1 || /\.lock': File exists|cannot lock ref/.test(stderr)
}

function blocked({ stderr }: GitResult): Failure {
  const lock = /'([^']*\.lock)': File exists/.exec(stderr)?.[1]
  const stale =
    lock === undefined ? '' : `; if no git runs, remove ${lock.replace(/^.*\/\.git\//, '.git/')}`
  return new Failure('busy', `other processes keep writing notes${stale}`)
}

/** Fast-import leaves a report in the git folder when it refuses its input; the Failure says the same. */
async function removeCrashReport(repository: Repository, stderr: string): Promise<void> {
  const name = /fast_import_crash_\d+/.exec(stderr)?.[0]
  if (name === undefined) return
  const gitDir = (await repository.ask(['rev-parse', '--absolute-git-dir'])).trim()
  rmSync(join(gitDir, name), { force: true })
}
