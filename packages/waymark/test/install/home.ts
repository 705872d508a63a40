import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { RunningProcess } from '../../src/install/machine/program.ts'
import { writeMarker } from '../../src/core/store/state-folder.ts'
import { installCommand, type InstallOptions } from '../../src/surfaces/install/install-command.ts'
import { START } from '../setup.ts'
import { createTestTerminal, type TestTerminal } from '../surface/test-terminal.ts'

export interface Home extends AsyncDisposable {
  /** An empty folder that stands for the user's. */
  readonly home: string
  /** A repository that is a Waymark project. */
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly running: RunningProcess
  install(
    names: readonly string[],
    options?: InstallOptions,
    world?: Partial<TestTerminal>,
  ): Promise<Installed>
  write(path: string, text: string | Buffer): void
  read(path: string): Buffer
  remove(path: string): void
  /** Every file outside of Git and the notes about it, with its bytes. */
  files(): Readonly<Record<string, string>>
}

export interface Installed {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A user with nothing in their home but one project. */
export async function createHome(): Promise<Home> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-home-')))
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-project-')))
  makeProject(root)
  const script = join(home, 'program', 'waymark.js')
  const env = { HOME: home, USERPROFILE: home, PATH: '' }
  const running = { node: process.execPath, script }
  mkdirSync(dirname(script))
  writeFileSync(script, '')
  return {
    home,
    root,
    env,
    running,
    install: async (names, options = {}, world = {}) => {
      const terminal = createTestTerminal(root, { env, ...world })
      const exit = await installCommand(names, options, terminal, running)
      return { exit, ...terminal.output }
    },
    write: (path, text) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    },
    read: (path) => readFileSync(path),
    remove: (path) => rmSync(path, { recursive: true }),
    files: () => ({ ...filesIn(home, 'home'), ...filesIn(root, 'project') }),
    [Symbol.asyncDispose]: async () => {
      for (const folder of [home, root])
        rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** As much of a repository and its state as finding it needs: hundreds of tests have one each. */
function makeProject(root: string): void {
  for (const folder of ['objects', 'refs'])
    mkdirSync(join(root, '.git', folder), { recursive: true })
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  const state = join(root, '.git', 'waymark')
  mkdirSync(state)
  writeMarker(state, { projectId: 'test', createdAt: START })
}

function filesIn(top: string, name: string): Record<string, string> {
  const entries = readdirSync(top, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    paths
      .filter((path) => !/^\.git(?:[\\/]|$)/.test(relative(top, path)))
      .map((path) => [`${name}/${relative(top, path)}`, contentOf(path)]),
  )
}

function contentOf(path: string): string {
  const stats = lstatSync(path)
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : readFileSync(path).toString('latin1')
}
