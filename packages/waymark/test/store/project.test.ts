import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { locateProject } from '../../src/core/project/locate-project.ts'
import { createFolder } from './workspace.ts'

describe('a project is found', () => {
  test('from anywhere below the top of a repository', () => {
    using folder = createFolder()
    git(folder.path, 'init', '--quiet')
    mkdirSync(join(folder.path, 'a', 'b'), { recursive: true })
    const project = {
      root: folder.path,
      stateDir: join(folder.path, '.git', 'waymark'),
      inGit: true,
    }
    expect(locateProject(folder.path)).toEqual(project)
    expect(locateProject(join(folder.path, 'a', 'b'))).toEqual(project)
    expect(locateProject(join(folder.path, '.git'))).toEqual(project)
    expect(locateProject(join(folder.path, '.git', 'hooks'))).toEqual(project)
  })

  test('once for all worktrees', () => {
    using folder = createFolder()
    const main = repositoryWithCommit(join(folder.path, 'main'))
    git(main, 'worktree', 'add', '--quiet', '../other')
    const other = join(folder.path, 'other')
    mkdirSync(join(other, 'below'))
    expect(locateProject(join(other, 'below'))).toEqual({
      root: other,
      stateDir: real(main, '.git', 'waymark'),
      inGit: true,
    })
  })

  test('separately in a submodule', () => {
    using folder = createFolder()
    const library = repositoryWithCommit(join(folder.path, 'library'))
    const main = repositoryWithCommit(join(folder.path, 'main'))
    git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'part')
    expect(locateProject(join(main, 'part'))).toEqual({
      root: join(main, 'part'),
      stateDir: join(main, '.git', 'modules', 'part', 'waymark'),
      inGit: true,
    })
  })

  test('in a bare repository and in its worktrees', () => {
    using folder = createFolder()
    const source = repositoryWithCommit(join(folder.path, 'source'))
    const bare = join(folder.path, 'bare.git')
    git(folder.path, 'clone', '--quiet', '--bare', source, bare)
    git(bare, 'worktree', 'add', '--quiet', '../tree')
    const stateDir = real(bare, 'waymark')
    expect(locateProject(join(bare, 'refs'))).toEqual({ root: bare, stateDir, inGit: true })
    expect(locateProject(join(folder.path, 'tree'))?.stateDir).toBe(stateDir)
  })

  test('outside Git where Waymark has been before', () => {
    using folder = createFolder()
    expect(locateProject(folder.path)).toBeUndefined()
    mkdirSync(join(folder.path, '.waymark'))
    mkdirSync(join(folder.path, 'below'))
    expect(locateProject(join(folder.path, 'below'))).toEqual({
      root: folder.path,
      stateDir: join(folder.path, '.waymark', 'state'),
      inGit: false,
    })
  })

  test('in Git, whatever a clone has brought along', () => {
    using folder = createFolder()
    git(folder.path, 'init', '--quiet')
    const brought = join(folder.path, 'inner', 'bare')
    mkdirSync(join(folder.path, 'inner', '.waymark', 'state'), { recursive: true })
    writeFileSync(join(folder.path, 'inner', '.waymark', 'state', 'project.json'), '{}')
    git(folder.path, 'init', '--quiet', '--bare', brought)
    expect(locateProject(brought)?.stateDir).toBe(join(folder.path, '.git', 'waymark'))
  })

  test('only by its owner when it is older than its repository', () => {
    using folder = createFolder()
    const state = join(folder.path, '.waymark', 'state')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'project.json'), '{}')
    git(folder.path, 'init', '--quiet')
    expectFailure(folder.path, 'not_initialised', /(mv|move) "\.waymark\/state" "\.git\/waymark"/)
    renameSync(state, join(folder.path, '.git', 'waymark'))
    expect(locateProject(folder.path)?.stateDir).toBe(join(folder.path, '.git', 'waymark'))
  })
})

describe('what only looks like Git', () => {
  test('is passed over when it is a folder', () => {
    using folder = createFolder()
    git(folder.path, 'init', '--quiet')
    mkdirSync(join(folder.path, 'a', '.git'), { recursive: true })
    expect(locateProject(join(folder.path, 'a'))?.root).toBe(folder.path)
  })

  test.each([
    ['nothing', ''],
    ['no path', 'gitdir: '],
    ['something else', '#!/bin/sh\nrm -rf /\n'],
    ['a path to nowhere', 'gitdir: ../nowhere\n'],
    ['a path to a folder that is no repository', 'gitdir: .\n'],
    ['two lines', 'gitdir: a\nb\n'],
    ['a NUL', 'gitdir: a\0b\n'],
    ['another machine', 'gitdir: //host/share/repository\n'],
    ['a very long path', `gitdir: ${'a/'.repeat(100_000)}\n`],
  ])('is a clear failure when it is a file with %s', (_, text) => {
    using folder = createFolder()
    writeFileSync(join(folder.path, '.git'), text)
    expectBroken(folder.path)
  })

  test('is a clear failure when the folder it shares is none', () => {
    using folder = createFolder()
    const main = repositoryWithCommit(join(folder.path, 'main'))
    git(main, 'worktree', 'add', '--quiet', '../other')
    const file = join(main, '.git', 'worktrees', 'other', 'commondir')
    for (const text of ['../../..\n', '', '/dev/zero\n', '\0']) {
      writeFileSync(file, text)
      expectBroken(join(folder.path, 'other'))
    }
  })

  test.skipIf(process.platform === 'win32')(
    'does not hang us when it is a pipe or a circle',
    () => {
      using folder = createFolder()
      execFileSync('mkfifo', [join(folder.path, '.git')])
      expect(locateProject(folder.path)).toBeUndefined()
      rmSync(join(folder.path, '.git'))
      symlinkSync('.git', join(folder.path, '.git'))
      expect(locateProject(folder.path)).toBeUndefined()
    },
  )
})

function expectBroken(path: string): void {
  expectFailure(path, 'storage_unavailable', /^the `\.git` file here .*git worktree repair/)
}

function expectFailure(path: string, code: Failure['code'], message: RegExp): void {
  let failure: unknown
  try {
    locateProject(path)
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({ code, message: expect.stringMatching(message) })
}

function repositoryWithCommit(path: string): string {
  git('.', 'init', '--quiet', path)
  git(
    path,
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.org',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'first',
  )
  return path
}

function git(directory: string, ...args: string[]): void {
  execFileSync('git', ['-C', directory, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Git writes real paths into its files; the folder for temporary files may be a link. */
function real(path: string, ...names: string[]): string {
  return join(realpathSync(path), ...names)
}
