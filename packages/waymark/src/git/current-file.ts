import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { openInTree } from '../support/files/tree-file.ts'
import { decode } from './history/file-versions.ts'
import type { Repository } from './repository.ts'
import type { CommitId } from './history/commit-id.ts'

/** A file as it is now: in the working tree if it can be read there, else as committed. */
export interface CurrentFile {
  readonly path: string
  readonly text: string
  /** The id of the text as a Git blob. */
  readonly blob: string
  /** The committed version, if it differs; undefined if HEAD does not have the file. */
  readonly committed: { readonly text: string; readonly blob: string } | undefined
}

const LARGEST_FILE = 8 * 1024 * 1024

export async function readCurrentFile(
  repository: Repository,
  head: CommitId | undefined,
  path: string,
): Promise<CurrentFile | undefined> {
  const [committed, working] = await Promise.all([
    head === undefined ? undefined : repository.versions.at(head, path),
    readWorkingFile(repository, path),
  ])
  if (working === undefined) {
    return committed === undefined ? undefined : { path, ...committed, committed }
  }
  const algorithm = (head ?? '').length === 64 ? 'sha256' : 'sha1'
  const blob = blobId(working, algorithm)
  if (blob === committed?.blob) return { path, ...committed, committed }
  const text = decode(working)
  // Line ends that Git converts on the way out are no change; everything here counts in lines anyway.
  const unix = text.replaceAll('\r\n', '\n')
  if (committed !== undefined && unix === committed.text.replaceAll('\r\n', '\n')) {
    return { path, ...committed, committed }
  }
  return { path, text, blob, committed }
}

/** A file as it is in a commit, whatever is checked out. */
export async function readCommittedFile(
  repository: Repository,
  commit: CommitId,
  path: string,
): Promise<CurrentFile | undefined> {
  const committed = await repository.versions.at(commit, path)
  return committed && { path, ...committed, committed }
}

/** Undefined unless the path is a regular file inside the working tree. */
async function readWorkingFile(repository: Repository, path: string): Promise<Buffer | undefined> {
  try {
    const tree = await repository.workTree()
    // Git stores a symbolic link as its target path, so it is not followed.
    if (!(await lstat(join(tree.top, path))).isFile()) return undefined
    await using file = await openInTree(tree, path)
    if (file === undefined || (await file.stat()).size > LARGEST_FILE) return undefined
    return await file.readFile()
  } catch {
    return undefined
  }
}

function blobId(content: Buffer, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex')
}
