import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '@waymark/sqlite'
import { migrate, useLog } from '../src/core/sqlite/database.ts'
import { createStateFolder, databasePath } from '../src/core/store/state-folder.ts'

const PATIENCE_MS = 15_000
const FOLDER = process.env['TEST_FOLDER'] ?? createFolder()
const REPOSITORY = join(FOLDER, 'template-repository')
const DATABASE = join(FOLDER, 'template-database')
const BARE = join(FOLDER, 'template-bare')
const CLONE = join(FOLDER, 'template-clone')
const GIT = {
  env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  stdio: 'pipe',
} as const

/** Copies an empty repository on the branch main to `directory`: much faster than `git init` and `git config`. */
export function copyRepository(directory: string): void {
  if (!existsSync(REPOSITORY)) {
    const draft = mkdtempSync(`${REPOSITORY}-`)
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', draft])
    execFileSync('git', ['-C', draft, 'config', 'user.name', 'Test Author'])
    removeSamples(join(draft, '.git'))
    publish(draft, REPOSITORY)
  }
  cpSync(REPOSITORY, directory, { recursive: true })
}

/** Copies an empty bare repository on the branch main to `directory`. */
export function copyBareRepository(directory: string): void {
  if (!existsSync(BARE)) {
    const draft = mkdtempSync(`${BARE}-`)
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', draft], GIT)
    // Otherwise each push starts another process there, to see whether there is garbage to collect.
    execFileSync('git', ['-C', draft, 'config', 'receive.autogc', 'false'], GIT)
    removeSamples(draft)
    publish(draft, BARE)
  }
  cpSync(BARE, directory, { recursive: true })
}

/** Clones a bare repository. A clone of an empty one is a copy, which is much faster. */
export function cloneRepository(remote: string, directory: string): void {
  const isEmpty =
    !existsSync(join(remote, 'packed-refs')) &&
    ['heads', 'tags'].every((name) => readdirSync(join(remote, 'refs', name)).length === 0)
  if (!isEmpty) {
    execFileSync('git', ['clone', '--quiet', remote, directory], GIT)
    return
  }
  if (!existsSync(CLONE)) {
    const draft = mkdtempSync(`${CLONE}-`)
    copyBareRepository(join(draft, 'REMOTE'))
    execFileSync('git', ['clone', '--quiet', join(draft, 'REMOTE'), join(draft, 'clone')], GIT)
    removeSamples(join(draft, 'clone', '.git'))
    publish(draft, CLONE)
  }
  cpSync(join(CLONE, 'clone'), directory, { recursive: true })
  const config = join(directory, '.git', 'config')
  const text = readFileSync(config, 'utf8')
  writeFileSync(
    config,
    text.replace(/^(\s*url = ).*$/m, (_, name: string) => name + quote(remote)),
  )
}

/** Two thirds of the files of a new repository, copied for each test and read by none. */
function removeSamples(gitDir: string): void {
  const hooks = join(gitDir, 'hooks')
  for (const name of readdirSync(hooks)) rmSync(join(hooks, name))
}

/** A value as git reads it from a configuration file. */
function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\')}"`
}

/**
 * Puts a database with all migrations and no project into a new state folder. Initialising the store completes it like
 * an interrupted attempt, and gives it an id of its own.
 */
export async function copyDatabase(stateDir: string): Promise<void> {
  if (!existsSync(DATABASE)) {
    const draft = mkdtempSync(`${DATABASE}-`)
    createStateFolder(draft)
    const connection = new Connection(databasePath(draft), 'create')
    useLog(connection)
    await migrate(connection, PATIENCE_MS)
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()
    publish(draft, DATABASE)
  }
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  copyFileSync(databasePath(DATABASE), databasePath(stateDir))
}

/** Other workers see the whole template or none; the first one stays. */
function publish(draft: string, path: string): void {
  try {
    renameSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
    rmSync(draft, { recursive: true })
  }
}

/** For programs that use this outside Vitest. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
