import { join } from 'node:path'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import type { Terminal } from '../../src/surfaces/terminal/terminal.ts'
import { createRepository } from '../setup.ts'
import { copyDatabase } from '../template.ts'
import { createTestTerminal } from './test-terminal.ts'

export type Options = Partial<Terminal> & { stdin?: string }

/** A repository with Waymark in it and a way to type commands there. */
export async function shell() {
  const repository = createRepository()
  const run = async (words: string | readonly string[], options: Options = {}) => {
    const terminal = createTestTerminal(repository.directory, options)
    const argv = typeof words === 'string' ? words.split(' ').filter((word) => word !== '') : words
    const exit = await runCli(argv, terminal)
    return { exit, ...terminal.output }
  }
  // Otherwise each would make all tables anew.
  await copyDatabase(join(repository.directory, '.git', 'waymark'))
  await run('init')
  return { ...repository, run }
}
