import { execFileSync } from 'node:child_process'
import {
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
import { dirname, join } from 'node:path'
import { openRepository, type Repository } from '../../src/git/repository.ts'
import { copyRepository } from '../template.ts'
import { type CommitId, toCommitId } from '../../src/git/history/commit-id.ts'

export type Files = Readonly<Record<string, string>>

export interface TestRepository extends AsyncDisposable {
  readonly directory: string
  /** The repository as the code under test sees it. */
  readonly repository: Repository
  git(...args: string[]): string
  write(files: Files): void
  /** Writes the files, commits everything, and answers the commit's id. Each commit is an hour younger than the one before. */
  commit(message: string, files?: Files): CommitId
  /** Commits as many times on the current branch without a change: much faster than one by one. */
  commitMany(count: number): CommitId[]
  /** What `git fsck` complains about. */
  fsck(): string
}

export const FIRST_COMMIT = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 60 * 60 * 1000

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Test Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'Test Author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  // Without it each commit starts another process, to see whether there is garbage to collect.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
}

/** Works on a repository that exists: one of `createRepository` or a clone. */
export function useRepository(directory: string): TestRepository {
  let commits = 0
  const stateDir = join(directory, '.git', 'waymark')
  mkdirSync(stateDir, { recursive: true })
  const repository = openRepository(directory, stateDir)
  const run = (args: readonly string[], input = '') => {
    const date = new Date(FIRST_COMMIT + commits * HOUR).toISOString()
    const env = { ...process.env, ...IDENTITY, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    const options = { encoding: 'utf8', env, stdio: 'pipe', input } as const
    return execFileSync('git', ['-C', directory, ...args], options)
  }
  const git: TestRepository['git'] = (...args) => run(args)
  const write = (files: Files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
  }
  return {
    directory,
    repository,
    git,
    write,
    commit: (message, files = {}) => {
      write(files)
      commits += 1
      git('add', '--all')
      git('commit', '--quiet', '--allow-empty', '--message', message)
      return toCommitId(readHead(directory) ?? git('rev-parse', 'HEAD').trim())
    },
    commitMany: (count) => {
      const branch = git('symbolic-ref', 'HEAD').trim()
      const parent = readHead(directory)
      const stream = Array.from({ length: count }, (_, at) => {
        commits += 1
        const seconds = (FIRST_COMMIT + commits * HOUR) / 1000
        const from = at === 0 && parent !== undefined ? `from ${parent}\n` : ''
        const message = `commit ${at}\n`
        return `commit ${branch}
mark :${at + 1}
committer ${IDENTITY.GIT_COMMITTER_NAME} <${IDENTITY.GIT_COMMITTER_EMAIL}> ${seconds} +0000
data ${message.length}
${message}${from}get-mark :${at + 1}
`
      })
      const ids = run(['fast-import', '--quiet', '--done'], `${stream.join('')}done\n`)
      return ids.trim().split('\n').map(toCommitId)
    },
    fsck: () => git('fsck', '--full', '--strict', '--no-dangling', '--no-progress'),
    [Symbol.asyncDispose]: () => repository[Symbol.asyncDispose](),
  }
}

/** The commit of the current branch where it has a file of its own, as it has right after a commit. */
function readHead(directory: string): string | undefined {
  const [head, branch] = [join(directory, '.git', 'HEAD'), /^ref: (refs\/heads\/\S+)\n$/]
  const [, ref] = (existsSync(head) && branch.exec(readFileSync(head, 'utf8'))) || []
  const path = join(directory, '.git', ref ?? '')
  return ref !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

/** Gives every object a file of its own, so that one can be taken away. */
export function unpack(directory: string): void {
  const folder = join(directory, '.git', 'objects', 'pack')
  const aside = mkdtempSync(join(directory, '.git', 'packs-'))
  for (const name of readdirSync(folder)) {
    renameSync(join(folder, name), join(aside, name))
  }
  for (const name of readdirSync(aside).filter((each) => each.endsWith('.pack'))) {
    const input = readFileSync(join(aside, name))
    execFileSync('git', ['-C', directory, 'unpack-objects', '-q'], { input })
  }
  rmSync(aside, { recursive: true })
}

/** The file of an object. */
export function objectFile(
  { directory, git }: Pick<TestRepository, 'directory' | 'git'>,
  name: string,
): string {
  const id = git('rev-parse', name).trim()
  const path = join(directory, '.git', 'objects', id.slice(0, 2), id.slice(2))
  if (!existsSync(path)) unpack(directory)
  return path
}

/** Takes an object out of a repository, as a broken disk does. Answers how to put it back. */
export function lose(test: Pick<TestRepository, 'directory' | 'git'>, name: string): () => void {
  const { directory, git } = test
  const id = git('rev-parse', name).trim()
  const path = objectFile(test, name)
  const lost = join(directory, '.git', `lost-${id}`)
  renameSync(path, lost)
  return () => {
    mkdirSync(dirname(path), { recursive: true })
    renameSync(lost, path)
  }
}

export interface OwnedRepository extends TestRepository {
  /** A clone with its own refs, in a folder that goes away with this repository's. */
  clone(name: string): TestRepository
}

/** A new, empty repository on the branch main. */
export function createTestRepository(...initOptions: string[]): OwnedRepository {
  const parent = mkdtempSync(join(tmpdir(), 'waymark-git-'))
  const directory = join(parent, 'repository')
  if (initOptions.length === 0) copyRepository(directory)
  else execFileSync('git', ['init', '--quiet', '--initial-branch=main', ...initOptions, directory])
  const used = useRepository(directory)
  const clones: TestRepository[] = []
  return {
    ...used,
    clone: (name) => {
      execFileSync('git', ['clone', '--quiet', directory, join(parent, name)])
      const clone = useRepository(join(parent, name))
      clones.push(clone)
      return clone
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([used, ...clones].map((each) => each[Symbol.asyncDispose]()))
      rmSync(parent, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
