import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfigFile, replaceFile } from '../../src/install/config-file.ts'
import { WAYMARK } from '../e2e/binary.ts'
import { isSample } from '../level.ts'
import { createHome } from './home.ts'

const OTHERS = '{\n  "mcpServers": {\n    "other": { "env": { "API_TOKEN": "s3cret" } }\n  }\n}\n'

describe('a user’s file', () => {
  it('keeps its mode, and its copy is for its owner alone', async () => {
    await using home = await createHome()
    const file = join(home.home, '.cursor', 'mcp.json')
    home.write(file, OTHERS)
    chmodSync(file, 0o640)
    await home.install(['cursor'], { global: true })
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const notes = join(home.home, '.config', 'waymark')
    const folders = readdirSync(notes, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    for (const folder of folders) {
      expect(statSync(join(folder.parentPath, folder.name)).mode & 0o777).toBe(0o700)
    }
  })

  it('that is a link stays a link, and what it leads to is changed', async () => {
    await using home = await createHome()
    const real = join(home.home, 'dotfiles', 'mcp.json')
    const link = join(home.home, '.cursor', 'mcp.json')
    home.write(real, OTHERS)
    mkdirSync(dirname(link))
    symlinkSync(real, link)
    await home.install(['cursor'], { global: true })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('waymark')
    await home.install(['cursor'], { global: true, uninstall: true })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe(OTHERS)
  })

  it('is not reached through a link that a repository has brought along [safety-reached-through]', async () => {
    await using home = await createHome()
    const target = join(home.home, 'secret.json')
    writeFileSync(target, '{}')
    symlinkSync(target, join(home.root, '.mcp.json'))
    symlinkSync(home.home, join(home.root, '.cursor'))
    const before = home.files()
    const { exit, err } = await home.install(['claude-code', 'cursor'])
    expect(exit).toBe(1)
    expect(err.match(/leads out of the project through a link/g)).toHaveLength(2)
    expect(home.files()).toEqual(before)
  })

  it.each([
    [
      'write-protected',
      (file: string) => {
        writeFileSync(file, OTHERS)
        chmodSync(file, 0o444)
      },
    ],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a link that leads nowhere', (file: string) => symlinkSync('nowhere', file)],
    [
      'not UTF-8 text',
      (file: string) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x7b, 0x00])),
    ],
  ])('is refused and left alone when it is %s', async (_, make) => {
    await using home = await createHome()
    make(join(home.root, '.mcp.json'))
    const before = home.files()
    const { exit, err } = await home.install(['claude-code'])
    expect([exit > 0, err]).toEqual([true, expect.stringContaining('.mcp.json is ')])
    expect(home.files()).toEqual(before)
  })

  it('is not overwritten when it changes while we are at it [safety-overwritten-changes]', async () => {
    await using home = await createHome()
    const path = join(home.home, 'x.json')
    writeFileSync(path, 'one')
    const file = readConfigFile(path)
    writeFileSync(path, 'two')
    await expect(replaceFile(file, Buffer.from('three'))).rejects.toThrow(
      'was changed by another program',
    )
    expect(readFileSync(path, 'utf8')).toBe('two')
    expect(readdirSync(home.home)).not.toContainEqual(expect.stringContaining('.tmp'))
  })

  it('shows no credentials in a dry run', async () => {
    await using home = await createHome()
    home.write(
      join(home.root, '.mcp.json'),
      OTHERS.replace('{ "env"', '{\n"env"').replace(' "API', '\n"API').replace('" }', '"\n}'),
    )
    const { out } = await home.install(['claude-code'], { dryRun: true })
    expect(out).toContain('+    "waymark"')
    expect(out).not.toContain('s3cret')
  })
})

describe('an interrupted installation', () => {
  it('killed at any moment, leaves the old file or the new one, and can be undone [safety-killed-any]', async () => {
    await using home = await createHome()
    const file = join(home.root, '.mcp.json')
    const env = { ...process.env, ...home.env, PATH: process.env['PATH'] }
    const words = ['install', 'claude-code', '--command', 'waymark']
    const start = (...more: string[]) =>
      spawn(process.execPath, [WAYMARK, ...words, ...more], {
        cwd: home.root,
        env,
        stdio: 'ignore',
      })
    const ended = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve))
    home.write(file, OTHERS)
    const undisturbed = start()
    await ended(undisturbed)
    const installed = readFileSync(file, 'utf8')
    expect(installed).toContain('waymark')

    const seen = new Set<string>()
    for (let round = 0; round < 24; round += isSample ? 3 : 1) {
      const child = start(...(round % 2 === 0 ? ['--uninstall'] : []))
      const end = ended(child)
      setTimeout(() => child.kill('SIGKILL'), 60 + 10 * round)
      await end
      seen.add(readFileSync(file, 'utf8'))
    }
    expect([...seen].filter((text) => text !== OTHERS && text !== installed)).toEqual([])
    await ended(start())
    await ended(start('--uninstall'))
    expect(readFileSync(file, 'utf8')).toBe(OTHERS)
  })

  it('leaves a draft at most for a minute', async () => {
    await using home = await createHome()
    const old = join(home.root, '.mcp.json.waymark-0123abcd.tmp')
    const young = join(home.root, '.mcp.json.waymark-4567cdef.tmp')
    for (const draft of [old, young]) writeFileSync(draft, '')
    utimesSync(old, 0, 0)
    await home.install(['claude-code'])
    expect([existsSync(old), existsSync(young)]).toEqual([false, true])
  })

  it('that could not write leaves nothing in the ledger', async () => {
    await using home = await createHome()
    const file = join(home.root, '.mcp.json')
    home.write(file, OTHERS)
    chmodSync(file, 0o444)
    expect((await home.install(['claude-code'])).err).toContain('.mcp.json is write-protected')
    expect(existsSync(join(home.root, '.git', 'waymark', 'install'))).toBe(false)
  })

  it('that got no further than the ledger is as if it had not been', async () => {
    await using home = await createHome()
    const file = join(home.root, '.mcp.json')
    home.write(file, OTHERS)
    await home.install(['claude-code'])
    home.write(file, OTHERS)
    expect((await home.install(['claude-code'], { uninstall: true })).exit).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(OTHERS)
    expect((await home.install(['claude-code'])).out).toMatch(/^added\t/)
  })
})

describe('a damaged ledger', () => {
  it.each(['record.json', 'before'])(
    '%s: nothing is changed, and the message says where the copy is',
    async (name) => {
      await using home = await createHome()
      const file = join(home.root, '.mcp.json')
      home.write(file, OTHERS)
      await home.install(['claude-code'])
      const ledger = join(home.root, '.git', 'waymark', 'install')
      const [id = ''] = readdirSync(ledger).filter((entry) => !entry.endsWith('.json'))
      writeFileSync(join(ledger, id, name), 'oops')
      const before = home.files()
      const { exit, err } = await home.install(['claude-code'], { uninstall: true })
      expect([exit, err]).toEqual([1, expect.stringContaining(id)])
      expect(home.files()).toEqual(before)
    },
  )
})

it('a ledger that came with the project removes no folder outside of it', async () => {
  await using home = await createHome()
  const empty = join(home.home, 'empty')
  mkdirSync(empty)
  await home.install(['claude-code'])
  const list = join(home.root, '.git', 'waymark', 'install', 'folders.json')
  writeFileSync(list, JSON.stringify([empty, join(home.root, '.git', 'waymark', 'install')]))
  expect((await home.install(['claude-code'], { uninstall: true })).exit).toBe(0)
  expect(existsSync(empty)).toBe(true)
  expect(existsSync(join(home.root, '.git', 'waymark', 'install'))).toBe(false)
})

it('a ledger that came with the project can change nothing outside of it', async () => {
  await using home = await createHome()
  const victim = join(home.home, '.profile')
  writeFileSync(victim, 'mine')
  await home.install(['claude-code'])
  const ledger = join(home.root, '.git', 'waymark', 'install')
  const [id = ''] = readdirSync(ledger).filter((entry) => !entry.endsWith('.json'))
  const record = readFileSync(join(ledger, id, 'record.json'), 'utf8')
  const forged = createHash('sha256').update(victim).digest('hex').slice(0, 16)
  mkdirSync(join(ledger, forged))
  for (const folder of [id, forged]) {
    const text = record.replaceAll(join(home.root, '.mcp.json'), victim)
    const after = createHash('sha256').update('mine').digest('hex')
    writeFileSync(
      join(ledger, folder, 'record.json'),
      text.replace(/"after": "\w+"/, `"after": "${after}"`),
    )
  }
  await home.install([], { uninstall: true })
  await home.install(['claude-code'], { uninstall: true })
  expect(readFileSync(victim, 'utf8')).toBe('mine')
})

it('worktrees share the ledger, and each undoes only its own', async () => {
  await using home = await createHome()
  const other = join(home.home, 'worktree')
  const gitDir = join(home.root, '.git', 'worktrees', 'other')
  home.write(join(gitDir, 'HEAD'), 'ref: refs/heads/other\n')
  home.write(join(gitDir, 'commondir'), '../..\n')
  home.write(join(other, '.git'), `gitdir: ${gitDir}\n`)
  await home.install(['claude-code'])
  await home.install(['claude-code'], {}, { cwd: other })
  await home.install([], { uninstall: true }, { cwd: other })
  expect(existsSync(join(other, '.mcp.json'))).toBe(false)
  expect(existsSync(join(home.root, '.mcp.json'))).toBe(true)
})

it('files of several hosts: what one refuses does not stop the others', async () => {
  await using home = await createHome()
  home.write(join(home.root, '.mcp.json'), '{ broken')
  const { exit, out, err } = await home.install(['claude-code', 'cursor', 'codex'])
  expect(exit).toBe(2)
  expect(out).toContain('added\tCursor')
  expect(out).toContain('added\tCodex')
  expect(err).toContain('error: Claude Code: .mcp.json is not valid JSON at line 1')
  expect(existsSync(join(home.root, '.codex', 'config.toml'))).toBe(true)
})
