import { type FileHandle, lstat, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { notPlain } from '../support/files/not-plain.ts'
import { filesOf, type ProjectFiles } from '../support/files/project-files.ts'
import { putFile } from '../support/files/put-file.ts'
import { violation } from '../core/input/parse.ts'

type NamedFiles = Pick<ProjectFiles, 'openBytes' | 'put'>

/**
 * The files that a caller may name. Local command line users may name any, relative to `folder`, also a pipe; remote
 * callers have no such folder and reach only the files of the project.
 */
export function namedFiles(context: Context, folder: string | undefined): NamedFiles {
  if (folder !== undefined) {
    return {
      openBytes: (path) => open(resolve(folder, path), 'r'),
      put: async (path, write, options) => {
        await refuseLink(resolve(folder, path))
        await putFile(resolve(folder, path), write, options)
      },
    }
  }
  const files = filesOf(context)
  if (files !== undefined) return files
  throw new Failure('not_initialised', 'there is no project whose files could be named')
}

export async function openNamed(files: NamedFiles, path: string): Promise<FileHandle> {
  const file = await files.openBytes(path)
  if (file !== undefined) return file
  throw violation('path', 'bad_format', 'there is no such file', { path: path.slice(0, 200) })
}

/** An atomic write would replace a symlink such as `/dev/stdout` instead of writing to its target. */
async function refuseLink(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink() !== true) return
  const target = await stat(path).catch(() => undefined)
  if (target?.isFile() === false) throw notPlain(target)
  throw new Failure('invalid_input', 'the path is a link; name the file that it leads to')
}
