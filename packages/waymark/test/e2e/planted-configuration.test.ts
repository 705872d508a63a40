import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  allSettings,
  ATTRIBUTES,
  plantProgram,
  plantRepository,
  WAYS,
} from '../git/untrusted/planted.ts'
import { git } from '../replica/clones.ts'
import { waymark } from './binary.ts'

const IDENTITY = ['-c', 'user.name=x', '-c', 'user.email=x@x']

let folder = ''
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-planted-')))
})
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

/** A clone with a commit, a Waymark project and a home of its own, before anything is planted in it. */
async function createClone(name: string) {
  const [directory, remote] = [join(folder, name), join(folder, `${name}.git`)]
  const env = {
    HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'home'),
    WAYMARK_ACTOR: 'ada',
  }
  mkdirSync(join(env.HOME), { recursive: true })
  git(folder, 'init', '--quiet', '--bare', remote)
  git(folder, 'clone', '--quiet', remote, directory)
  mkdirSync(join(directory, 'sub'))
  writeFileSync(join(directory, 'sub', 'a.ts'), 'export const a = 1\n')
  writeFileSync(join(directory, '.gitattributes'), ATTRIBUTES)
  git(directory, 'add', '.')
  git(directory, ...IDENTITY, 'commit', '--quiet', '--message', 'one')
  await waymark(directory, ['init'], env)
  await waymark(directory, ['add', 'note', 'a note'], env)
  return {
    directory,
    remote,
    gitDir: join(directory, '.git'),
    run: (args: readonly string[], from = directory) => waymark(from, args, env),
  }
}

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['brief', 'sub/a.ts'],
  ['code', 'read', 'sub/a.ts'],
  ['code', 'why', 'sub/a.ts'],
  ['code', 'annotate', '--summary', 'why it is so'],
  ['code', 'hooks-install'],
  ['code', 'hook', 'post-commit'],
  ['hook', 'install'],
  ['sync', 'hook'],
  ['sync'],
  ['snapshot', 'create'],
  ['install', 'claude-code', '--yes', '--hooks'],
  ['doctor', '--repair'],
  ['prime'],
]

describe('the command, in a repository whose configuration names programs everywhere', () => {
  it('runs none of them', async () => {
    const clone = await createClone('everywhere')
    const { program, calls } = plantProgram(clone.gitDir)
    WAYS['written as usual']?.(clone.gitDir, allSettings(program))
    for (const command of COMMANDS) {
      const { exit, err } = await clone.run(command)
      expect([command, exit, exit === 0 ? '' : err]).toEqual([command, 0, ''])
      expect(calls(), command.join(' ')).toBe('')
    }
  })

  it('does not push into the repository by way of the folder that it is started in', async () => {
    const clone = await createClone('cwd')
    const { calls } = plantRepository(clone.gitDir)
    git(clone.directory, 'remote', 'set-url', 'origin', '/proc/self/cwd/.git/evil.git')
    for (const from of [clone.directory, join(clone.directory, 'sub')]) {
      expect((await clone.run(['sync'], from)).exit).not.toBe(0)
      expect(calls()).toBe('')
    }
  })
})
