import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { command } from '../surface/command.ts'
import { type Finished, WAYMARK } from './binary.ts'

interface Repository extends AsyncDisposable {
  readonly directory: string
  readonly git: (...args: string[]) => string
  readonly hook: (...args: string[]) => Promise<Finished>
}

/** A project whose git finds the `waymark` command, as it would where it is installed. */
async function repository(): Promise<Repository> {
  const made = createRepository()
  const { directory } = made
  const bin = mkdtempSync(join(tmpdir(), 'waymark-bin-'))
  writeFileSync(join(bin, 'waymark'), `#!/bin/sh\nexec "${process.execPath}" "${WAYMARK}" "$@"\n`)
  chmodSync(join(bin, 'waymark'), 0o755)
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  await command(directory, ['init'])
  execFileSync('git', ['-C', directory, 'config', 'user.email', 'test@example.org'])
  return {
    directory,
    git: (...args) => execFileSync('git', ['-C', directory, ...args], { env, encoding: 'utf8' }),
    hook: (...args) => command(directory, ['hook', ...args, '--json']),
    [Symbol.asyncDispose]: async () => {
      rmSync(bin, { recursive: true, force: true, maxRetries: 10 })
      await made[Symbol.asyncDispose]()
    },
  }
}

const stateOf = ({ out }: { out: string }) => (JSON.parse(out) as { state: string }).state

it('with the hook every commit contains the snapshot, and without it none does', async () => {
  await using made = await repository()
  const { directory, git, hook } = made
  expect(stateOf(await hook('status'))).toBe('not_installed')
  expect(stateOf(await hook('install'))).toBe('installed')
  expect(stateOf(await hook('install'))).toBe('installed')
  await command(directory, ['add', 'decision', 'Use SQLite'])
  git('commit', '--allow-empty', '--quiet', '-m', 'first')
  expect(git('show', '--name-only', '--format=', 'HEAD')).toContain(
    '.waymark/snapshot/decisions/001-use-sqlite.md',
  )
  git('commit', '--allow-empty', '--quiet', '-m', 'nothing changed')
  expect(git('show', '--name-only', '--format=', 'HEAD').trim()).toBe('')
  expect(stateOf(await hook('uninstall'))).toBe('not_installed')
  await command(directory, ['add', 'decision', 'Use Redis'])
  git('commit', '--allow-empty', '--quiet', '-m', 'without')
  expect(git('show', '--name-only', '--format=', 'HEAD').trim()).toBe('')
  expect(existsSync(join(directory, '.git/hooks/pre-commit'))).toBe(false)
})

it('a hook that is there already is kept: refused, then run first, then put back [snapshot-hook-already-kept]', async () => {
  await using made = await repository()
  const { directory, git, hook } = made
  const path = join(directory, '.git/hooks/pre-commit')
  const theirs = '#!/bin/sh\necho ran >> .git/theirs\n'
  mkdirSync(join(directory, '.git/hooks'), { recursive: true })
  writeFileSync(path, theirs, { mode: 0o755 })
  expect(stateOf(await hook('status'))).toBe('foreign')
  const refused = await hook('install')
  expect([refused.exit, refused.err]).toEqual([4, expect.stringContaining('--force')])
  expect(stateOf(await hook('uninstall'))).toBe('foreign')
  expect(readFileSync(path, 'utf8')).toBe(theirs)
  expect(stateOf(await hook('install', '--force'))).toBe('installed')
  await command(directory, ['add', 'note', 'A note'])
  git('commit', '--allow-empty', '--quiet', '-m', 'both')
  expect(readFileSync(join(directory, '.git/theirs'), 'utf8')).toBe('ran\n')
  expect(git('show', '--name-only', '--format=', 'HEAD')).toContain('notes/a-note.md')
  expect(stateOf(await hook('uninstall'))).toBe('foreign')
  expect(readFileSync(path, 'utf8')).toBe(theirs)
  expect(existsSync(`${path}.backup`)).toBe(false)
})

it('in a worktree the hook of the repository is meant', async () => {
  await using made = await repository()
  const { directory, git } = made
  git('commit', '--allow-empty', '--quiet', '-m', 'first')
  const worktree = `${directory}-tree`
  git('worktree', 'add', '--quiet', worktree)
  try {
    expect(stateOf(await command(worktree, ['hook', 'install', '--json']))).toBe('installed')
    expect(existsSync(join(directory, '.git/hooks/pre-commit'))).toBe(true)
  } finally {
    rmSync(worktree, { recursive: true, force: true, maxRetries: 10 })
  }
})

it('a snapshot that fails stops the commit and says how to go on', async () => {
  await using made = await repository()
  const { directory, git, hook } = made
  await hook('install')
  await command(directory, ['add', 'note', 'A note'])
  mkdirSync(join(directory, '.waymark/snapshot'), { recursive: true })
  writeFileSync(join(directory, '.waymark/snapshot/mine.txt'), 'mine')
  expect(() => git('commit', '--allow-empty', '--quiet', '-m', 'x')).toThrow('--no-verify')
  git('commit', '--allow-empty', '--quiet', '--no-verify', '-m', 'x')
})
