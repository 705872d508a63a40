import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { initialiseProject } from '../../../packages/waymark/src/core/project/project.ts'
import {
  allSettings,
  type Planted,
  type PlantedSetting,
  plantProgram,
  plantRepository,
  toConfigText,
  UNDOTTED,
  WAYS,
} from '../../../packages/waymark/test/git/untrusted/planted.ts'
import type { Random } from '../../../packages/baton/test/support/random.ts'
import { createFolder, type Folder, IN_MEMORY } from '../../system/folder.ts'

/** A partial clone that is a Waymark project: reading it and synchronising it both make git talk to its remote. */
export interface Ground extends Disposable {
  readonly root: string
  readonly gitDir: string
  readonly remote: string
  /** In its Git folder. */
  readonly program: Planted
  /** A repository with hooks, in its Git folder too. */
  readonly inner: Planted
  /** Its configuration before anything was planted. */
  readonly config: string
  /** Everything that can be set, to the program. */
  readonly known: readonly PlantedSetting[]
}

/** What can be pushed without anything that is not here. */
export const OWN_REF = 'refs/planted/empty'

function git(directory: string, ...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const identity = ['-c', 'user.name=Proof', '-c', 'user.email=proof@example.invalid']
  const options = { encoding: 'utf8' as const, env, input: '' }
  return execFileSync('git', ['-C', directory, ...identity, ...args], options)
}

/** `files`: how many there are whose content is not here. */
export async function createGround(files: number): Promise<Ground> {
  const folder: Folder = createFolder(IN_MEMORY)
  const [first, remote, root] = ['first', 'remote.git', 'here'].map((name) =>
    join(folder.path, name),
  ) as [string, string, string]
  git(folder.path, 'init', '--quiet', '--initial-branch=main', first)
  for (let at = 0; at < files; at += 1) writeFileSync(join(first, `f${at}`), `content ${at}\n`)
  git(first, 'add', '.')
  git(first, 'commit', '--quiet', '--message', 'files')
  git(folder.path, 'clone', '--quiet', '--bare', first, remote)
  git(remote, 'config', 'uploadpack.allowFilter', 'true')
  git(remote, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  git(
    folder.path,
    'clone',
    '--quiet',
    '--no-checkout',
    '--filter=blob:none',
    `file://${remote}`,
    root,
  )
  git(root, 'remote', 'remove', 'origin')
  const tree = git(root, 'mktree', '--missing')
  git(root, 'update-ref', OWN_REF, git(root, 'commit-tree', tree.trim(), '-m', 'empty').trim())
  await initialiseProject(root)
  const gitDir = join(root, '.git')
  const program = plantProgram(gitDir)
  return {
    root,
    gitDir,
    remote,
    program,
    known: allSettings(program.program),
    inner: plantRepository(gitDir),
    config: readFileSync(join(gitDir, 'config'), 'utf8'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export interface Configuration {
  /** What its only remote is called, and where it is. */
  readonly name: string
  readonly address: string
  /** The remote is where the clone came from, so that everything must work. */
  readonly isHonest: boolean
  readonly settings: readonly PlantedSetting[]
  readonly way: string
}

const NAMES = ['origin', ...UNDOTTED.slice(1).map((dot) => `up${dot}stream`)]
const MOST_SETTINGS = 8

/** A remote with programs of its own, at an address that may lead into the repository, and any other settings. */
export function chooseConfiguration(
  { root, remote, program, inner, known }: Ground,
  random: Random,
): Configuration {
  const name = random.pick(NAMES)
  const isHonest = random.below(3) > 0
  const hostile = [
    inner.program,
    '.git/evil.git',
    `file://${inner.program}`,
    'file:///proc%2Fself/cwd/.git/evil.git',
    '/proc/self/cwd/.git/evil.git',
    `${root}/../here/.git/evil`,
    `ext::${program.program}`,
  ]
  const chosen = Array.from({ length: random.below(MOST_SETTINGS) }, () => random.pick(known))
  return {
    name,
    isHonest,
    address: isHonest ? remote : random.pick(hostile),
    settings: [
      ...['uploadpack', 'receivepack'].map((key) => ({
        section: 'remote',
        subsection: name,
        name: key,
        value: program.program,
      })),
      ...chosen,
    ],
    way: random.pick(Object.keys(WAYS)),
  }
}

/** Writes it into the Git folder, in place of the one before. */
export function plant(
  { gitDir, config }: Ground,
  { name, address, settings, way }: Configuration,
): void {
  for (const file of ['config.worktree', 'more']) rmSync(join(gitDir, file), { force: true })
  writeFileSync(join(gitDir, 'config'), config)
  const remote = { section: 'remote', subsection: name }
  appendFileSync(
    join(gitDir, 'config'),
    toConfigText([
      { ...remote, name: 'url', value: address },
      { ...remote, name: 'promisor', value: 'true' },
    ]),
  )
  WAYS[way]?.(gitDir, settings)
}
