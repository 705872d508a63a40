import { resolve } from 'node:path'
import { initialiseProject } from '../../core/project/project.ts'
import { locateProject } from '../../core/project/locate-project.ts'
import type { McpStartOptions } from '../cli/ultragit-options.ts'
import { serve } from '../serve/serve.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Serves annotations until the client disconnects. Returns the exit code. */
export async function startMcp(options: McpStartOptions, terminal: Terminal): Promise<number> {
  const { repo, noteref, write, ...rest } = options
  const directory = resolve(terminal.cwd, repo ?? options.directory ?? '.')
  // Notes need no project, but their index does. It is created only inside `.git`, outside of the working tree.
  if (locateProject(directory)?.inGit === true) await initialiseProject(directory)
  return await serve(
    {
      ...rest,
      directory,
      dialect: write === true ? 'ultragit-write' : 'ultragit',
      ...(noteref !== undefined && { noteRef: noteref }),
    },
    terminal,
  )
}
