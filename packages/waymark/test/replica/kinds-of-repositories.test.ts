import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { annotateCode } from '../../src/annotation/write/annotate.ts'
import { createEntity, listEntities } from '../../src/entity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { initialiseProject } from '../../src/core/project/project.ts'
import { git, openClone } from './clones.ts'

interface Ground {
  /** A folder for all repositories of one test. */
  readonly folder: string
  /** Where everybody pushes to, with two commits on its branch. */
  readonly remote: string
}

/** Makes one more repository that has `remote` as its origin, and answers where it is. */
type Kind = (ground: Ground) => string

const cloned =
  (...options: readonly string[]): Kind =>
  ({ folder, remote }) => {
    const directory = join(folder, 'here')
    git(folder, 'clone', '--quiet', ...options, `file://${remote}`, directory)
    return directory
  }

const asSubmodule: Kind = ({ folder, remote }) => {
  const whole = join(folder, 'whole')
  git(folder, 'init', '--quiet', whole)
  const mayUseFiles = ['-c', 'protocol.file.allow=always']
  git(whole, ...mayUseFiles, 'submodule', '--quiet', 'add', remote, 'part')
  return join(whole, 'part')
}

interface Variant {
  readonly what: string
  readonly kind: Kind
  readonly initOptions?: readonly string[]
}

const REFTABLE = ['--ref-format=reftable']

const VARIANTS: readonly Variant[] = [
  { what: 'a shallow clone', kind: cloned('--depth=1') },
  { what: 'a bare clone', kind: cloned('--bare') },
  { what: 'a partial clone', kind: cloned('--filter=blob:none') },
  { what: 'a submodule', kind: asSubmodule },
  {
    what: 'a repository with SHA-256 names',
    kind: cloned(),
    initOptions: ['--object-format=sha256'],
  },
  // Git has them since 2.45.
  ...(tryInit(REFTABLE)
    ? [{ what: 'a repository with reftables', kind: cloned(), initOptions: REFTABLE }]
    : []),
]

it.each(VARIANTS)(
  '$what can be annotated and synchronised, and its claims hold for other clones [kinds-of-repositories-annotated-synchronised]',
  async ({ kind, initOptions = [] }) => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-kinds-'))
    try {
      const ground = createGround(folder, initOptions)
      const head = git(ground.remote, 'rev-parse', 'main').trim()
      const directory = kind(ground)
      await initialiseProject(directory)
      {
        await using here = await openClone(directory, 'here', { coordination: 'auto' })
        await here.run(createEntity, { type: 'decision', title: 'Use what is there' })
        await here.run(annotateCode, { commit: head, summary: 'Because it was there' })
        expect(await here.sync()).toMatchObject({ sent: { entities: 1, pushed: true } })
        const { task } = await here.run(createTask, { title: 'Write the parser' })
        await here.sync()
        await here.run(claimTask, { id: task.id })
        git(directory, 'fsck', '--strict', '--no-dangling', '--no-progress')
      }
      const elsewhere = join(folder, 'elsewhere')
      git(folder, 'clone', '--quiet', ground.remote, elsewhere)
      await initialiseProject(elsewhere)
      await using other = await openClone(elsewhere, 'elsewhere', { coordination: 'auto' })
      expect(await other.sync()).toMatchObject({ received: { created: 2, notes: 1 } })
      expect(await other.run(listEntities, { type: 'decision' })).toMatchObject({
        entities: [{ title: 'Use what is there' }],
      })
      await expect(other.run(claimTask, { id: '2' })).rejects.toMatchObject({
        details: { reason: 'held_elsewhere' },
      })
      const notes = git(elsewhere, 'notes', '--ref=waymark', 'show', head)
      expect(notes).toContain('Because it was there')
      git(ground.remote, 'fsck', '--strict', '--no-dangling', '--no-progress')
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    }
  },
)

function createGround(folder: string, initOptions: readonly string[]): Ground {
  const remote = join(folder, 'remote.git')
  const first = join(folder, 'first')
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', ...initOptions, remote)
  git(remote, 'config', 'uploadpack.allowFilter', 'true')
  git(folder, 'init', '--quiet', '--initial-branch=main', ...initOptions, first)
  for (const text of ['one', 'two']) {
    writeFileSync(join(first, 'a.ts'), `export const a = '${text}'\n`)
    git(first, 'add', '.')
    const identity = ['-c', 'user.name=Test Author', '-c', 'user.email=author@example.com']
    git(first, ...identity, 'commit', '--quiet', '--message', text)
  }
  git(first, 'push', '--quiet', remote, 'main')
  return { folder, remote }
}

function tryInit(options: readonly string[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-kinds-'))
  try {
    execFileSync('git', ['init', '--quiet', ...options, folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
