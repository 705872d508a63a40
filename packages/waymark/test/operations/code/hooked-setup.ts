import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../../src/core/execute.ts'
import { installCodeHooks as installHooks } from '../../../src/hook/operations.ts'
import { WAYMARK } from '../../e2e/binary.ts'
import { type CodeSetup, setupCode } from './code-setup.ts'

interface HookedSetup extends CodeSetup {
  /** Git as a person runs it: with hooks, and with waymark on the PATH. */
  shell(...args: string[]): string
}

export async function hooked(): Promise<HookedSetup> {
  const test = await setupCode()
  const bin = join(test.directory, '.git', 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'waymark'), `#!/bin/sh\nexec '${process.execPath}' '${WAYMARK}' "$@"\n`)
  chmodSync(join(bin, 'waymark'), 0o755)
  test.git('config', 'user.email', 'author@example.com')
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, GIT_EDITOR: 'true' }
  await execute(test.context, installHooks, {})
  return {
    ...test,
    shell: (...args) =>
      execFileSync('git', ['-C', test.directory, ...args], {
        encoding: 'utf8',
        env,
        stdio: 'pipe',
      }),
  }
}

/** A commit of a new file, as a person makes it. */
export function commitByHand(test: HookedSetup, message: string): void {
  test.write({ 'b.txt': 'b\n' })
  test.shell('add', '--all')
  test.shell('commit', '--quiet', '-m', message)
}
