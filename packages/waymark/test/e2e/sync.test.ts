import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from '../replica/clones.ts'
import { command } from '../surface/command.ts'
import { startServer, waymark } from './binary.ts'

test('two clones share a decision, its past and its backup through the installed command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-e2e-'))
  try {
    git(folder, 'init', '--quiet', '--bare', 'remote.git')
    for (const name of ['ada', 'bob']) git(folder, 'clone', '--quiet', 'remote.git', name)
    const run = (name: string, ...args: string[]) =>
      waymark(join(folder, name), args, { WAYMARK_ACTOR: name })
    await run('ada', 'init')
    await run('bob', 'init')
    await run('ada', 'add', 'decision', 'Use SQLite')
    expect((await run('ada', 'sync', '--dry-run')).out).toContain('would go: 1 entity')
    expect((await run('ada', 'sync')).exit).toBe(0)
    expect((await run('bob', 'sync')).out).toContain('came from origin: 1 created')
    await run('bob', 'update', '1', '--title', 'Use SQLite in WAL mode')
    expect((await run('bob', 'sync', '--no-push')).out).toContain('not pushed')
    await run('bob', 'sync')
    await run('ada', 'sync')
    const { out } = await run('ada', 'log', '1')
    expect(out).toContain('title: Use SQLite → Use SQLite in WAL mode')
    expect(out).toContain('bob')
    const [first, second] = await Promise.all(
      ['ada', 'bob'].map(async (name) => {
        const file = join(folder, `${name}.jsonl`)
        await run(name, 'export', file, '--no-history')
        return readFileSync(file, 'utf8')
      }),
    )
    expect(first).toBe(second)
    expect(git(join(folder, 'ada'), 'status', '--porcelain')).toBe('')
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})

test('a first sync with a remote tells all that goes, also what was synced before there was one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-e2e-'))
  try {
    git(folder, 'init', '--quiet', '--bare', 'remote.git')
    git(folder, 'init', '--quiet', 'ada')
    const run = async (...args: string[]) => (await waymark(join(folder, 'ada'), args)).out
    await run('init')
    await run('add', 'note', 'One')
    await run('add', 'note', 'Two')
    expect(await run('sync')).toContain('it has no remote')
    git(join(folder, 'ada'), 'remote', 'add', 'origin', '../remote.git')
    expect(await run('sync', '--dry-run')).toContain('would go: 2 entities')
    expect(await run('sync')).toContain('went: 2 entities')
    expect(await run('sync')).toContain('went: 0 entities')
    expect(await run('doctor')).toContain('1 segment, all readable')
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})

test('a server keeps its clone current when it is asked to, and ends as soon as it is told [serve-sync]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-e2e-'))
  try {
    git(folder, 'init', '--quiet', '--bare', 'remote.git')
    for (const name of ['ada', 'bob']) git(folder, 'clone', '--quiet', 'remote.git', name)
    const run = async (name: string, ...args: string[]) =>
      (await command(join(folder, name), args, { WAYMARK_ACTOR: name })).out
    await run('ada', 'init')
    await run('ada', 'add', 'note', 'From ada')
    await run('ada', 'sync')
    await run('bob', 'init')
    await using server = await startServer(join(folder, 'bob'), ['--sync'])
    await expect.poll(() => run('bob', 'list'), POLL).toContain('From ada')
    await server.create('From bob')
    await expect
      .poll(async () => {
        await run('ada', 'sync')
        return await run('ada', 'list')
      }, POLL)
      .toContain('From bob')
    server.child.kill('SIGTERM')
    expect(await server.closed).toEqual({ code: 0, signal: null })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})

const POLL = { timeout: 60_000, interval: 500 }
