import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Files } from './host.ts'
import { FREE, HIDDEN, PLANTED, RESERVED } from './story.ts'

const WAYMARK = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
const RECORDER = fileURLToPath(new URL('pipe/recorder.mjs', import.meta.url))

/** A home and a repository for one host, and two folders for PATH: with `waymark`, and with the recorder in its place. */
export interface Scratch extends Disposable {
  readonly folder: string
  readonly home: string
  readonly repository: string
  readonly recordings: string
  /** Runs the real command in the repository; answers what it printed. */
  readonly waymark: (...args: readonly string[]) => string
  readonly env: (more: Readonly<Record<string, string>>) => Record<string, string>
}

export function createScratch({ keep }: { keep: boolean }): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-lab-'))
  const make = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    return path
  }
  const home = make('home')
  const repository = make('repository')
  const recordings = make('recordings')
  const real = make('real')
  const recording = make('recording')
  symlinkSync(WAYMARK, join(real, 'waymark'))
  const words = [process.execPath, RECORDER, recordings, WAYMARK].map((word) => `'${word}'`)
  writeFileSync(join(recording, 'waymark'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
  chmodSync(join(recording, 'waymark'), 0o755)
  const env = (first: string, more: Readonly<Record<string, string>>) => ({
    ...SYSTEM,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    PATH: [first, ...(more['PATH'] ?? '').split(delimiter), process.env['PATH'] ?? '']
      .filter((path) => path !== '')
      .join(delimiter),
  })
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, {
      cwd: repository,
      env: env(real, {}),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  prepare(repository, run)
  return {
    folder,
    home,
    repository,
    recordings,
    waymark: (...args) => run('waymark', args),
    env: (more) => ({ ...more, ...env(recording, more) }),
    [Symbol.dispose]: () => {
      if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Nothing of the person who runs the lab: no tokens, no settings. */
const SYSTEM = Object.fromEntries(
  ['LANG', 'TERM', 'TMPDIR', 'SHELL', 'USER', 'LOGNAME'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

/** A repository with a commit, a decision to be briefed on, a file that another agent has reserved, and a free one. */
function prepare(repository: string, run: (command: string, args: readonly string[]) => string) {
  writeFiles({
    [join(repository, RESERVED.relative)]: RESERVED.before,
    [join(repository, FREE.relative)]: FREE.before,
    [join(repository, 'AGENTS.md')]: '# Rules\n\nWrite short functions.\n',
  })
  run('git', ['init', '--quiet', '--initial-branch=main'])
  run('git', ['config', 'user.name', 'Lab'])
  run('git', ['config', 'user.email', 'lab@example.com'])
  run('waymark', ['init'])
  run('git', ['add', '.'])
  run('git', ['commit', '--quiet', '--message', 'start'])
  run('waymark', ['add', 'decision', PLANTED, '--status', 'accepted'])
  run('waymark', ['add', 'decision', HIDDEN, '--status', 'accepted'])
  run('waymark', ['--actor', 'rival', 'task', 'create', 'Rework it', '--lock', RESERVED.relative])
  run('waymark', ['--actor', 'rival', 'task', 'claim', '3', '--seconds', '3600'])
}

export function writeFiles(files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** Contents of all files by path, without Git's folder. */
export function readFiles(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.startsWith(join(folder, '.git', '/')))
      .map((path) => [path, readFileSync(path, 'latin1')]),
  )
}

/** Paths whose contents are not the same in both. */
export function differing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path))
}

export function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
