import type { Repository } from '../repository.ts'

/** Note blobs by the commit they belong to. */
export type NotesByCommit = ReadonlyMap<string, string>

const ENTRY = /^\d{6} (?:blob )?([0-9a-f]{40,64})\t(.+)$/s
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const DELETED = /^0+$/

/** More folders deep than git has ever nested the notes of one ref. */
const DEEPEST_FAN_OUT = 4

/** The commit that a notes ref points to now, or undefined while there are no notes. */
export async function notesTip(repository: Repository, ref: string): Promise<string | undefined> {
  return (await repository.objects.info(`${ref}^{commit}`))?.id
}

export async function listNotes(repository: Repository, tip: string): Promise<NotesByCommit> {
  const listed = await repository.ask(['ls-tree', '-r', '-z', tip])
  return new Map(
    listed.split('\0').flatMap((line) => {
      const [, blob = '', path = ''] = ENTRY.exec(line) ?? []
      const commit = toCommit(path)
      return commit === undefined ? [] : [[commit, blob] as const]
    }),
  )
}

/** What became of the notes between two commits of their ref: the new blob, or null where a note was removed. */
export async function changedNotes(
  repository: Repository,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, string | null>> {
  const listed = await repository.ask(['diff-tree', '-r', '-z', '--no-renames', from, to])
  const changed = new Map<string, string | null>()
  const fields = listed.split('\0')
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , , blob = ''] = (fields[at] ?? '').split(' ')
    const commit = toCommit(fields[at + 1] ?? '')
    if (commit === undefined) continue
    // Another fan-out moves notes: the same commit is then deleted in one place and added in another.
    if (!DELETED.test(blob)) changed.set(commit, blob)
    else if (!changed.has(commit)) changed.set(commit, null)
  }
  return changed
}

/** The note of one commit, without listing all of them. */
export async function findNote(
  repository: Repository,
  tip: string,
  commit: string,
): Promise<{ readonly blob: string; readonly path: string } | undefined> {
  const paths = fannedOut(commit)
  const infos = await repository.objects.infos(paths.map((path) => `${tip}:${path}`))
  const at = infos.findIndex((info) => info?.type === 'blob')
  const [blob, path] = [infos[at]?.id, paths[at]]
  return blob === undefined || path === undefined ? undefined : { blob, path }
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
