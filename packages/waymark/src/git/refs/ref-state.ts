import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/error.ts'
import { hasCode } from '../../support/system-error.ts'
import { isObjectId } from '../objects/object-id.ts'
import { isCorruption } from '../objects/read-object.ts'
import type { Repository } from '../repository.ts'
import { commitNamed } from '../history/commits.ts'
import type { CommitId } from '../history/commit-id.ts'

export type RefState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'commit'; readonly id: CommitId }
  /** It stands for another ref, which would move in its place. */
  | { readonly kind: 'symbolic'; readonly target: string }
  /** It is there and leads to nothing that can be read. `value` is what stands there. */
  | { readonly kind: 'damaged'; readonly problem: string; readonly value: string }

export type RefSource = Pick<Repository, 'run' | 'objects' | 'layout'>

/**
 * What a ref is. Git answers "missing" both for a ref that is not there and for one that leads to nothing, and follows
 * a symbolic ref without a word; so the files are looked at as well.
 */
export async function readRef(git: RefSource, ref: string): Promise<RefState> {
  const { commonDir } = git.layout()
  if (existsSync(join(commonDir, 'reftable'))) return await askGit(git, ref)
  const link = linkOnTheWay(commonDir, ref)
  if (link !== undefined) return { kind: 'symbolic', target: link }
  const text = readLoose(commonDir, ref) ?? readPacked(commonDir, ref)
  if (text === undefined) return { kind: 'absent' }
  if (text.startsWith('ref:')) return { kind: 'symbolic', target: text.slice(4).trim() }
  const id = text.trim()
  if (id === '') return { kind: 'damaged', problem: 'the file of the ref is empty', value: '' }
  if (!isObjectId(id)) {
    return { kind: 'damaged', problem: 'the file of the ref holds no object id', value: text }
  }
  return await readTip(git, id)
}

/** The state of a ref with this value. */
async function readTip({ objects }: RefSource, id: string): Promise<RefState> {
  try {
    const commit = await commitNamed(objects, id)
    if (commit !== undefined) return { kind: 'commit', id: commit }
    const type = (await objects.info(id))?.type
    const problem =
      type === undefined
        ? `object ${short(id)} is not in this repository`
        : `object ${short(id)} is a ${type} and no commit`
    return { kind: 'damaged', problem, value: id }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return { kind: 'damaged', problem: `object ${short(id)} cannot be read`, value: id }
  }
}

/** Refs in tables have no files to look at. */
async function askGit(git: RefSource, ref: string): Promise<RefState> {
  const format = '--format=%(refname) %(objectname) %(symref)'
  const { stdout } = await git.run(['for-each-ref', format, ref])
  const found = stdout.split('\n').map((line) => line.split(' '))
  const [, id = '', target = ''] = found.find(([name]) => name === ref) ?? []
  if (target !== '') return { kind: 'symbolic', target }
  return isObjectId(id) ? await readTip(git, id) : { kind: 'absent' }
}

/** A link of the file system: the folder of the ref, or the ref itself, is elsewhere. */
function linkOnTheWay(commonDir: string, ref: string): string | undefined {
  const parts = ref.split('/')
  // Several working copies may share the folder `refs` itself by a link.
  for (let depth = 2; depth <= parts.length; depth += 1) {
    const path = parts.slice(0, depth).join('/')
    if (lstatSync(join(commonDir, path), { throwIfNoEntry: false })?.isSymbolicLink()) return path
  }
  return undefined
}

/** What the file of a ref says; undefined if it has none, because it is packed or not there. */
export function readLoose(commonDir: string, ref: string): string | undefined {
  try {
    return readFileSync(join(commonDir, ref), 'latin1').slice(0, LONGEST_VALUE)
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR', 'EISDIR'])) return undefined
    throw unreadable(ref, error)
  }
}

/** What is shown of a ref that holds something else than an id. */
const LONGEST_VALUE = 200

/** Git looks here when a ref has no file; it removes a ref from here before it removes the file. */
export function readPacked(commonDir: string, ref: string): string | undefined {
  try {
    const packed = readFileSync(join(commonDir, 'packed-refs'), 'latin1')
    const end = packed.indexOf(` ${ref}\n`)
    return end === -1 ? undefined : packed.slice(packed.lastIndexOf('\n', end) + 1, end)
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return undefined
    throw unreadable('packed-refs', error)
  }
}

function unreadable(name: string, cause: unknown): Failure {
  const why = hasCode(cause, ['EACCES', 'EPERM'])
    ? 'permission denied; check the owner and the permissions of the Git folder'
    : 'the disk reported an error'
  return new Failure('storage_unavailable', `${name} cannot be read: ${why}`, { cause })
}

function short(id: string): string {
  return id.slice(0, 12)
}
