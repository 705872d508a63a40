import { mergeNoteBodies } from '../../domain/code/note-body.ts'
import { Failure } from '../../error.ts'
import type { Repository } from '../repository.ts'

/**
 * Note blobs by the commit they belong to. The note of a commit should stand in one place, but trees with the same one
 * at `abcd…` and at `ab/cd…` exist; then the blobs of both are named, with a blank between them.
 */
export type NotesByCommit = ReadonlyMap<string, string>

/** Where the note of a commit stands in the tree of its ref. */
export interface NotePlace {
  readonly blob: string
  readonly path: string
}

const ENTRY = /^\d{6} (?:blob )?([0-9a-f]{40,64})\t(.+)$/s
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** More folders deep than git has ever nested the notes of one ref. */
const DEEPEST_FAN_OUT = 4

/** The commit that a notes ref points to now, or undefined while there are no notes. */
export async function notesTip(repository: Repository, ref: string): Promise<string | undefined> {
  return (await repository.objects.info(`${ref}^{commit}`))?.id
}

export async function listNotes(repository: Repository, tip: string): Promise<NotesByCommit> {
  const listed = await repository.ask(['ls-tree', '-r', '-z', tip])
  const notes = new Map<string, string>()
  for (const line of listed.split('\0')) {
    const [, blob = '', path = ''] = ENTRY.exec(line) ?? []
    const commit = toCommit(path)
    if (commit === undefined) continue
    const other = notes.get(commit)
    notes.set(commit, other === undefined ? blob : `${other} ${blob}`)
  }
  return notes
}

/** For more commits than this the whole list is faster. */
const MOST_LOOKED_UP = 50

/**
 * Throws if one of these commits, of which no note was found, has one all the same. To git a note whose blob is not
 * here is none, as in a partial clone without its remote; to write a new one in its place would be to lose it.
 */
export async function assertWithoutNotes(
  repository: Repository,
  tip: string,
  commits: readonly string[],
): Promise<void> {
  const listed = commits.length > MOST_LOOKED_UP ? await listNotes(repository, tip) : undefined
  for (const commit of commits) {
    const isNamed = listed?.has(commit) ?? (await namedBlobs(repository, tip, commit)).length > 0
    if (isNamed) throw unreadableNote(commit)
  }
}

/** The blobs that a tree names for the note of a commit, be they here or not. */
async function namedBlobs(
  repository: Repository,
  tip: string,
  commit: string,
): Promise<readonly string[]> {
  const named = fannedOut(commit).map(async (path) => {
    const at = path.lastIndexOf('/')
    const tree = await repository.objects.read(`${tip}:${path.slice(0, Math.max(at, 0))}`)
    const entry = `100644 ${path.slice(at + 1)}\0`
    const start = tree?.type === 'tree' ? tree.content.indexOf(entry) : -1
    if (tree === undefined || start === -1) return []
    // The id follows as bytes, half as many as the commit's id has digits.
    const id = start + entry.length
    return [tree.content.toString('hex', id, id + commit.length / 2)]
  })
  return (await Promise.all(named)).flat()
}

/** The commits whose notes are not the same in two commits of their ref. */
export async function changedNotes(
  repository: Repository,
  from: string,
  to: string,
): Promise<ReadonlySet<string>> {
  const listed = await repository.ask([
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--name-only',
    from,
    to,
  ])
  return new Set(listed.split('\0').flatMap((path) => toCommit(path) ?? []))
}

/** Every place of the note of one commit, the deepest last, without listing the notes of all commits. */
export async function findNotes(
  repository: Repository,
  tip: string,
  commit: string,
): Promise<readonly NotePlace[]> {
  const paths = fannedOut(commit)
  const infos = await repository.objects.infos(paths.map((path) => `${tip}:${path}`))
  return paths.flatMap((path, at) => {
    const info = infos[at]
    return info?.type === 'blob' ? [{ blob: info.id, path }] : []
  })
}

/** The blobs of the note of one commit, as they are listed, be they here or not; undefined if it has none. */
export async function findBlobs(
  repository: Repository,
  tip: string,
  commit: string,
): Promise<string | undefined> {
  const places = await findNotes(repository, tip, commit)
  const blobs =
    places.length > 0 ? places.map(({ blob }) => blob) : await namedBlobs(repository, tip, commit)
  return blobs.length === 0 ? undefined : blobs.join(' ')
}

/** What a note says, joined if it stands in several blobs; undefined if one of them is gone or larger than `limit` bytes. */
export async function readBlobs(
  repository: Repository,
  blobs: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const bodies: string[] = []
  for (const blob of new Set(blobs.split(' '))) {
    const object = await repository.objects.readUpTo(limit, blob)
    if (object === undefined || object === 'too_large') return undefined
    bodies.push(object.content.toString('utf8'))
  }
  return bodies.reduce(mergeNoteBodies)
}

export const NOTE_UNREADABLE = 'note_unreadable'

export function unreadableNote(commit: string): Failure {
  return new Failure(
    'storage_corrupt',
    `the note of commit ${commit.slice(0, 7)} cannot be read, because its blob is not in this repository: ` +
      'get it with git fetch --refetch from a remote that has it, or see what git fsck says',
    { details: { reason: NOTE_UNREADABLE, commit } },
  )
}

/** `abcd…`, `ab/cd…`, `ab/cd/…`: git nests as it sees fit, differently in different corners of one tree. */
function fannedOut(commit: string): readonly string[] {
  return Array.from({ length: DEEPEST_FAN_OUT + 1 }, (_, depth) => {
    const folders = Array.from({ length: depth }, (_, at) => commit.slice(at * 2, at * 2 + 2))
    return [...folders, commit.slice(depth * 2)].join('/')
  })
}

function toCommit(path: string): string | undefined {
  const name = path.replaceAll('/', '')
  return COMMIT.test(name) ? name : undefined
}
