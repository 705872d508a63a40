import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hooksFolder } from '../../../src/git/hooks/folder.ts'
import { findGit } from '../../../src/git/find-git.ts'
import { openRepository } from '../../../src/git/repository.ts'
import { readUserName } from '../../../src/git/config/user-name.ts'
import { createFolder, createRepository, git } from '../../files/everywhere.ts'

afterEach(() => vi.unstubAllEnvs())

const FORMATS = fileURLToPath(new URL('../../../git-formats/', import.meta.url))

function open(root: string) {
  return openRepository(root, join(root, '.git', 'waymark'))
}

describe('git as we start it', () => {
  it('reads nothing of the repository’s configuration but what is allowed', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
    vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1')
    appendFileSync(
      join(root, '.git', 'config'),
      `[core]\n\tsharedRepository = group\n\tcheckStat = !evil\n\tsshCommand = evil
[http "https://x/"]\n\textraHeader = A: b\n\tproxy = evil
[http]\n\textraHeader = "A: b\\nC: d"
[credential]\n\tusername = ada\n\thelper = evil
[credential "https://x/\u0007"]\n\tusername = eve
[user]\n\tname = Ada\n`,
    )
    await using repository = open(root)
    const listed = (await repository.ask(['config', '--list'])).split('\n').toSorted()
    expect(listed.filter((line) => line !== '')).toEqual([
      'core.alternaterefscommand=true',
      'core.filemode=true',
      'core.fsmonitor=false',
      'core.hookspath=/dev/null',
      'core.logallrefupdates=true',
      'core.quotepath=false',
      'core.repositoryformatversion=0',
      'core.sharedrepository=group',
      'credential.username=ada',
      'gc.auto=0',
      'http.https://x/.extraheader=A: b',
      'log.showsignature=false',
      'maintenance.auto=false',
      'protocol.ext.allow=never',
    ])
  })

  it('cannot change the configuration that it is given, and leaves nothing beside it [place-cannot-change]', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    await using repository = open(root)
    const before = readAll(FORMATS)
    const { exitCode, stderr } = await repository.run(['config', 'alias.x', '!evil'])
    expect([exitCode, stderr]).toEqual([255, expect.stringContaining('could not lock config file')])
    await repository.ask(['update-ref', 'refs/notes/x', 'HEAD'])
    await repository.ask(['pack-refs', '--all'])
    await repository.ask(['reflog', 'show', 'HEAD'])
    expect(readAll(FORMATS)).toEqual(before)
    expect(before.size).toBe(12)
    expect(readFileSync(join(root, '.git', 'packed-refs'), 'utf8')).toContain('refs/notes/x')
    expect(readdirSync(join(root, '.git', 'logs', 'refs')).toSorted()).toEqual(['heads', 'notes'])
  })

  it('waits for the locks of any other git, and keeps others waiting by its own', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    await using repository = open(root)
    mkdirSync(join(root, '.git', 'refs', 'x'))
    writeFileSync(join(root, '.git', 'refs', 'x', 'a.lock'), '')
    writeFileSync(join(root, '.git', 'packed-refs.lock'), '')
    const moved = await repository.run(['update-ref', 'refs/x/a', 'HEAD'])
    expect(moved.stderr).toMatch(/refs\/x\/a\.lock': File exists/)
    const packed = await repository.run(['-c', 'core.packedRefsTimeout=1', 'pack-refs', '--all'])
    expect(packed.stderr).toMatch(/here\/\.git\/packed-refs\.lock': File exists/)
  })

  it('writes files with the permissions that a shared repository asks for', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'), '--shared=group')
    await using repository = open(root)
    const before = process.umask(0o077)
    try {
      const id = await repository.ask(['hash-object', '-w', '--stdin'], { input: 'x' })
      const path = join(root, '.git', 'objects', id.slice(0, 2))
      expect(statSync(path).mode & 0o770).toBe(0o770)
    } finally {
      process.umask(before)
    }
  })

  it('keeps to the shared Git folder that a Git folder names, as any git does', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    const other = createRepository(join(folder.path, 'other'))
    git(other, 'update-ref', 'refs/heads/only-there', 'HEAD')
    writeFileSync(join(root, '.git', 'commondir'), join(other, '.git'))
    await using repository = open(root)
    expect(repository.layout().commonDir).toBe(join(other, '.git'))
    expect(
      await repository.ask(['for-each-ref', '--format=%(refname)', 'refs/heads/only-there']),
    ).toBe('refs/heads/only-there\n')
  })
})

describe('a repository’s configuration', () => {
  it('that cannot be read is refused by its name, and nothing is started', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    const config = join(root, '.git', 'config')
    await using repository = open(root)
    await repository.ask(['rev-parse', 'HEAD'])
    appendFileSync(config, '[remote "x"\n')
    await expect(repository.ask(['rev-parse', 'HEAD'])).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: 'the Git configuration .git/config cannot be parsed: line 6 is wrong; correct it',
      details: { reason: 'git_config', file: config },
    })
  })

  it('that names a format or extension we do not know is refused by the name of the setting', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    const config = join(root, '.git', 'config')
    await using repository = open(root)
    for (const [key, value] of [
      ['repositoryformatversion', '[core]\n\trepositoryformatversion = 2'],
      [
        'extensions.refstorage',
        '[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable:///x',
      ],
      ['extensions.other', '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tother = x'],
    ] as const) {
      writeFileSync(config, `${value}\n`)
      await expect(repository.ask(['rev-parse', 'HEAD'])).rejects.toThrow(key)
    }
    // The first version has no extensions: git passes over what it does not know.
    writeFileSync(config, '[extensions]\n\tother = x\n')
    await repository.ask(['rev-parse', 'HEAD'])
  })

  it('still says what Waymark itself asks it, of this worktree too', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'here'))
    git(root, 'config', 'user.name', 'Ada')
    git(root, 'config', 'ultragit.noteref', 'refs/notes/ours')
    git(root, 'config', 'core.hooksPath', 'hooks')
    await using repository = open(root)
    expect(await readUserName(root)).toBe('Ada')
    expect((await repository.settings.read()).noteRef).toBe('refs/notes/ours')
    expect(await hooksFolder(root)).toBe(join(root, 'hooks'))
    git(root, 'config', 'extensions.worktreeConfig', 'true')
    git(root, 'config', '--worktree', 'user.name', 'Bea')
    git(root, 'config', '--worktree', 'ultragit.noteref', 'refs/notes/mine')
    expect(await readUserName(root)).toBe('Bea')
    expect((await repository.settings.read()).noteRef).toBe('refs/notes/mine')
  })
})

it('on Windows git is looked for on the PATH alone, and never in the folder at hand', () => {
  const there = new Set(['C:\\Git\\cmd\\git.exe', 'git.exe', '.\\git.exe'])
  const find = (path: string) =>
    findGit({ platform: 'win32', env: { Path: path, SystemRoot: 'C:\\Windows' } }, (file) =>
      there.has(file),
    )
  expect(find('.;;tools;C:\\Other;C:\\Git\\cmd')).toBe('C:\\Git\\cmd\\git.exe')
  expect(find('.;;tools')).toBe('C:\\Windows\\git.exe')
  expect(findGit({ platform: 'linux', env: {} })).toBe('git')
})

function readAll(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, readFileSync(path, 'utf8')]
    }),
  )
}
