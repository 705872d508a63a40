import { join } from 'node:path'
import type { ReadContext } from '../../core/context.ts'
import { toRepositoryPath } from '../place.ts'
import { covers } from '../../support/text/glob.ts'
import { Failure } from '../../core/error.ts'
import type { AnnotationSettings } from '../../git/annotation-settings.ts'
import { type Commit, commitNamed } from '../../git/history/commits.ts'
import { kindOf } from '../../support/files/worktree/git-dirs.ts'
import type { Repository } from '../../git/repository.ts'
import type { AnnotationReader } from '../store.ts'
import { compareCopy } from '../notes/copy-notes.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

/** The code of a repository as it is checked out now, and how its annotations are kept. */
export interface Code {
  readonly repository: Repository
  readonly settings: AnnotationSettings
  /** What is checked out, or the commit that was asked for. Undefined before the first commit. */
  readonly head: Commit | undefined
  /** Files are read from the commit alone, and not from the working tree. */
  readonly isAtCommit?: true
  /** The annotations in the notes refs. */
  readonly annotations: AnnotationReader
  /** Warns that annotations come from the store's copy, because the Git notes are not readable. */
  readonly notices: readonly string[]
  /** When the question came, by `performance.now()`. */
  readonly askedAt: number
}

/** Opens the repository without annotations. Can prefetch the history of a file. */
export async function openCode(context: ReadContext, path?: string): Promise<Code> {
  if (context.code === undefined) {
    throw new Failure('not_initialised', 'there is no Git repository here to annotate')
  }
  const askedAt = performance.now()
  const repository = await context.code.repository()
  if (path !== undefined) prefetchHistory(repository, toRepositoryPath(repository.root, path))
  const [settings, id] = await Promise.all([
    repository.settings.read(context.code),
    repository.head(),
  ])
  return {
    repository,
    settings,
    head: id === undefined ? undefined : await repository.commits.get(id),
    annotations: context.store.annotations,
    notices: [],
    askedAt,
  }
}

/**
 * Starts what takes longest, the history of the file and the parser, before head and settings are known. The result is
 * cached; the operation that needs it awaits it and gets its errors. It is wasted if the guessed head is wrong.
 */
function prefetchHistory(repository: Repository, path: string): void {
  const head = repository.peekHead()
  if (head === undefined || kindOf(join(repository.root, path)) !== 'file') return
  if (!repository.histories.knows(path)) repository.outlines.prepare(path)
  repository.histories.of(head, path).catch(() => undefined)
}

/**
 * Opens the repository and updates the store's copy of the annotations. If the Git notes are not readable, the existing
 * copy is used and a notice says so.
 */
export async function openAnnotatedCode(context: ReadContext, path?: string): Promise<Code> {
  const code = await openCode(context, path)
  const { annotations, damages } = await currentCopy(context, code)
  for (const { message: why } of damages) {
    context.logger.warn('answering from the copy of the notes in the store', { why })
  }
  const notices = damages.map(({ message }) => `answered from the store's copy: ${message}`)
  return { ...code, annotations, notices }
}

/** As above, with each file as it is in a commit, which any revision of Git can name. */
export async function openAnnotatedCommit(context: ReadContext, revision: string): Promise<Code> {
  const code = await openAnnotatedCode(context)
  const id = await resolveCommit(code.repository, revision, 'rev')
  return { ...code, head: await code.repository.commits.get(id), isAtCommit: true }
}

async function currentCopy(
  { store, upkeep, signal }: ReadContext,
  { repository, settings: { readRefs: refs } }: Code,
): Promise<{ readonly annotations: AnnotationReader; readonly damages: readonly Failure[] }> {
  const found = []
  for (const ref of refs) found.push(await compareCopy(store.annotations, repository, ref))
  if (found.some(({ kind }) => kind === 'outdated' || kind === 'incomplete')) {
    const refreshed = await upkeep.refresh('notes', { repository, refs, signal })
    return { annotations: refreshed.store.annotations, damages: refreshed.result }
  }
  const damages = found.flatMap((one) => (one.kind === 'damaged' ? [one.damage] : []))
  return { annotations: store.annotations, damages }
}

/** Whether the settings include this file. */
export function isIncluded({ include, exclude }: AnnotationSettings, path: string): boolean {
  if (exclude.some((pattern) => covers(pattern, path))) return false
  return include.length === 0 || include.some((pattern) => covers(pattern, path))
}

/** Resolves any revision syntax that git understands to a full commit id. */
export async function resolveCommit(
  repository: Repository,
  revision: string,
  field = 'commit',
): Promise<CommitId> {
  const name = revision.trim()
  const id = await findCommit(repository, name)
  if (id !== undefined) return id
  throw new Failure('not_found', `no commit ${JSON.stringify(name.slice(0, 100))}`, {
    details: { field, kind: 'commit', id: name.slice(0, 100) },
  })
}

async function findCommit(repository: Repository, name: string): Promise<CommitId | undefined> {
  // Git would parse a leading dash as an option.
  if (/^-|[\s\0]/.test(name) || name === '') return undefined
  if (!name.includes('@{')) return await commitNamed(repository.objects, name)
  // A missing upstream or reflog makes git exit, so this must not use the shared `cat-file` process.
  const args = ['rev-parse', '--quiet', '--verify', `${name}^{commit}`]
  const { exitCode, stdout } = await repository.run(args)
  const id = stdout.trim()
  // For `^name`, rev-parse prints an exclusion, not an id.
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(id) ? toCommitId(id) : undefined
}
