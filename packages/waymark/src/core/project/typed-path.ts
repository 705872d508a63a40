import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import type { Context } from '../context.ts'

/** The path from the top of the project. One that was typed in a shell starts in the shell's folder. */
export async function fromTypedPath({ shell, project }: Context, path: string): Promise<string> {
  if (shell === undefined || project === undefined || isAbsolute(path)) return path
  const within = relative(await realpath(project.root), await realpath(shell.folder))
  return within === '' ? path : join(within, path)
}
