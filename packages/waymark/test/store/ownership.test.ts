import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { createProjectPool } from '../../src/core/project/project-pool.ts'
import { locateProject } from '../../src/core/project/locate-project.ts'
import { giveToOwner } from '../../src/git/ownership.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { doctorCommand } from '../../src/surfaces/install/doctor-command.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { Child } from './child.ts'
import { createFolder } from './workspace.ts'

const OTHER = 12_345
const isRoot = process.geteuid?.() === 0
const VARIABLES = ['GIT_CONFIG_GLOBAL', 'GIT_TEST_ASSUME_DIFFERENT_OWNER', 'SUDO_UID'] as const
const before = VARIABLES.map((name) => [name, process.env[name]] as const)

afterEach(() => {
  for (const [name, value] of before) setVariable(name, value)
})

describe.skipIf(process.platform === 'win32')('a project of another user', () => {
  test('is refused with the owner and the command that makes an exception, wherever it is found from [ownership-refused-owner]', async () => {
    using folder = createFolder()
    const root = await createProject(folder.path)
    mkdirSync(join(root, 'below'))
    giveAway(root)
    const uid = isRoot ? OTHER : (process.getuid?.() ?? 0)
    const refused = {
      code: 'storage_unavailable',
      message: `${root} is owned by uid ${uid}, not by you (uid ${process.geteuid?.()}); if you trust its owner, run: git config --global --add safe.directory "${root}"`,
      details: { reason: 'foreign_owner' },
    }
    for (const start of [root, join(root, 'below'), join(root, '.git')]) {
      await expect(openProject(start)).rejects.toMatchObject(refused)
      await expect(initialiseProject(start)).rejects.toMatchObject(refused)
      await using pool = createProjectPool([start])
      await expect(pool.open(start)).rejects.toMatchObject(refused)
    }
    const terminal = createTestTerminal(root, { env: { HOME: folder.path } })
    writeFileSync(join(folder.path, 'waymark.js'), '')
    const running = { node: process.execPath, script: join(folder.path, 'waymark.js') }
    expect(await doctorCommand({ json: true }, terminal, running)).toBe(1)
    expect(terminal.output.out).toContain(`is owned by uid ${uid}`)
    expect(terminal.output.out).not.toContain('restore')
  })

  test('is open to users who declare it safe in their own settings, and to no others', async () => {
    using folder = createFolder()
    const root = await createProject(folder.path)
    giveAway(root)
    const isOpen = (...values: readonly string[]) => {
      const file = join(folder.path, 'settings')
      const lines = values.map((value) => `directory = "${value}"\n`)
      writeFileSync(file, `[safe]\n${lines.join('')}`)
      process.env['GIT_CONFIG_GLOBAL'] = file
      return isFound(root)
    }
    expect(isOpen()).toBe(false)
    expect(isOpen(root)).toBe(true)
    expect(isOpen(`${root}/`)).toBe(true)
    expect(isOpen('*')).toBe(true)
    expect(isOpen(`${folder.path}/*`)).toBe(true)
    expect(isOpen(`${root}/*`)).toBe(false)
    expect(isOpen(`${folder.path}/mai*`)).toBe(false)
    expect(isOpen(folder.path)).toBe(false)
    expect(isOpen('*', '')).toBe(false)
    expect(isOpen('', root)).toBe(true)
    // The repository cannot say it of itself.
    isOpen()
    execFileSync('git', ['config', '--file', join(root, '.git', 'config'), 'safe.directory', '*'])
    expect(isFound(root)).toBe(false)
  })
})

describe.skipIf(!isRoot)('of the parts of a project', () => {
  test.each(['main', 'main/.git', 'tree', 'tree/.git', 'main/.git/worktrees/tree'])(
    'Waymark refuses the one that Git refuses when it belongs to another user: %s',
    async (part) => {
      using folder = createFolder()
      const root = await createProject(folder.path)
      git(root, 'worktree', 'add', '--quiet', '../tree')
      process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
      chownSync(join(folder.path, part), OTHER, OTHER)
      for (const start of ['main', 'tree'].map((name) => join(folder.path, name))) {
        // Where the shared folder is another user's, Git looks at no more than the worktree's own.
        if (part === 'main/.git' && start.endsWith('tree')) expect(isFound(start)).toBe(false)
        else expect([start, isFound(start)]).toEqual([start, isFoundByGit(start)])
      }
    },
  )

  test.each(['.git/waymark', '.git'])(
    'another user’s %s is refused though the folder is ours',
    async (part) => {
      using folder = createFolder()
      const root = await createProject(folder.path)
      chownSync(join(root, part), OTHER, OTHER)
      await expect(openProject(root)).rejects.toThrow(
        `${join(root, part)} is owned by uid ${OTHER}`,
      )
    },
  )

  test('none of a project outside Git may belong to another user', async () => {
    for (const part of ['', '.waymark', '.waymark/state']) {
      using folder = createFolder()
      const root = join(folder.path, 'plain')
      mkdirSync(join(root, 'below'), { recursive: true })
      await initialiseProject(root)
      chownSync(join(root, part), OTHER, OTHER)
      await expect(openProject(join(root, 'below'))).rejects.toThrow(`is owned by uid ${OTHER}`)
    }
  })

  test('a link of our own to another user’s folder is no way around it', async () => {
    using folder = createFolder()
    const root = await createProject(folder.path)
    chownSync(root, OTHER, OTHER)
    const link = join(folder.path, 'link')
    symlinkSync(root, link)
    lchownSync(link, 0, 0)
    await expect(openProject(link)).rejects.toThrow(`is owned by uid ${OTHER}`)
  })

  test('those of the user who called sudo are as good as our own, as they are to Git', async () => {
    using folder = createFolder()
    const root = await createProject(folder.path)
    process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
    chownAll(root, OTHER)
    for (const uid of [undefined, String(OTHER), String(OTHER + 1), '', 'x', '12345x', '-1']) {
      setVariable('SUDO_UID', uid)
      expect([uid, isFound(root)]).toEqual([uid, isFoundByGit(root)])
      expect(isFound(root)).toBe(uid === String(OTHER))
    }
  })

  test.skipIf(process.platform !== 'linux')(
    'what root makes in the project of another user belongs to that user [ownership-root-gives-back]',
    async () => {
      using folder = createFolder()
      chmodSync(folder.path, 0o755)
      for (const name of ['repository', 'plain']) {
        const root = join(folder.path, name)
        mkdirSync(root)
        if (name === 'repository') git(root, 'init', '--quiet', '--template=')
        chownAll(root, OTHER)
        setVariable('SUDO_UID', String(OTHER))
        const { state } = await initialiseProject(root)
        const terminal = createTestTerminal(root, { stdin: 'bytes' })
        expect(await runCli(['artifact', 'add', '-', '--name', 'a'], terminal)).toBe(0)
        if (name === 'repository') expect(await runCli(['sync'], createTestTerminal(root))).toBe(0)
        const below = readdirSync(root, { recursive: true, encoding: 'utf8' })
        const made = below.filter((path) => !path.startsWith('.git/objects/'))
        expect(made.filter((path) => statSync(join(root, path)).uid !== OTHER)).toEqual([])
        const child = new Child('stranger', [state, join(root, 'absent')], { uid: OTHER })
        const outcomes = (await child.finish()).map((line) => JSON.parse(line) as object)
        expect(outcomes).toMatchObject([{ code: 'ok' }, { code: 'ok' }, { code: 'ok' }])
      }
    },
  )

  test.skipIf(process.platform !== 'linux')(
    'but nothing elsewhere that a link leads to [ownership-root-follows-no-link]',
    async () => {
      using folder = createFolder()
      const root = await createProject(folder.path)
      const git = join(root, '.git')
      const elsewhere = join(folder.path, 'elsewhere')
      mkdirSync(join(elsewhere, 'notes'), { recursive: true })
      mkdirSync(join(elsewhere, 'waymark'))
      const files = ['notes/f', 'waymark/f', 'f'].map((name) => join(elsewhere, name))
      for (const file of files) writeFileSync(file, '')
      chownAll(root, OTHER)
      const state = join(git, 'waymark')
      // The owner can put a link in the place of any folder at any moment.
      rmSync(join(git, 'refs'), { recursive: true })
      symlinkSync(elsewhere, join(git, 'refs'))
      symlinkSync(elsewhere, join(state, 'link'))
      linkSync(join(elsewhere, 'f'), join(state, 'second-name'))
      writeFileSync(join(state, 'made'), '')
      giveToOwner(root, state)
      expect(statSync(join(state, 'made')).uid).toBe(OTHER)
      renameSync(git, join(root, 'moved'))
      symlinkSync(elsewhere, git)
      giveToOwner(root, state)
      expect(files.map((file) => statSync(file).uid)).toEqual([0, 0, 0])
    },
  )

  test('a state folder that root has left in the folder of another user names the command that gives it back [ownership-leftover]', async () => {
    using folder = createFolder()
    chmodSync(folder.path, 0o755)
    const root = await createProject(folder.path)
    const state = join(root, '.git', 'waymark')
    for (const path of [root, join(root, '.git')]) chownSync(path, OTHER, OTHER)
    const child = new Child('stranger', [state, join(root, 'absent'), root], { uid: OTHER })
    const [, read, , opened] = (await child.finish()).map(
      (line) => JSON.parse(line) as { code: string; message: string },
    )
    expect(read).toEqual({
      what: 'read',
      code: 'storage_read_only',
      message: `.git/waymark cannot be used: its owner is uid 0 and you are uid ${OTHER}; run this as its owner, or change owner and permissions: sudo chown -R ${OTHER} .git/waymark`,
    })
    expect(opened?.message).toBe(
      `${state} is owned by uid 0, not by you (uid ${OTHER}); give it back: sudo chown -R ${OTHER} "${state}"`,
    )
  })

  test('a folder of another user is made no project', async () => {
    using folder = createFolder()
    const shared = join(folder.path, 'shared')
    mkdirSync(shared)
    chownSync(shared, OTHER, OTHER)
    await expect(initialiseProject(shared)).rejects.toThrow(`is owned by uid ${OTHER}`)
    expect(readdirSync(shared)).toEqual([])
  })
})

async function createProject(folder: string): Promise<string> {
  const root = join(folder, 'main')
  mkdirSync(root)
  git(root, 'init', '--quiet', '--template=')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  git(root, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await initialiseProject(root)
  return root
}

/** To another user if we may, otherwise by the variable that Git's own tests have for it. */
function giveAway(root: string): void {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  if (isRoot) chownAll(root, OTHER)
  else process.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'] = '1'
}

function chownAll(root: string, uid: number): void {
  execFileSync('chown', ['-R', `${uid}:${uid}`, root])
}

function isFound(folder: string): boolean {
  try {
    return locateProject(folder) !== undefined
  } catch {
    return false
  }
}

function isFoundByGit(folder: string): boolean {
  return spawnSync('git', ['-C', folder, 'rev-parse', '--show-toplevel']).status === 0
}

function git(directory: string, ...args: readonly string[]): void {
  execFileSync('git', ['-C', directory, ...args], { stdio: 'pipe' })
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
