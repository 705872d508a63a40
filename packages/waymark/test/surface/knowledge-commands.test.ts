import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createRepository } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

/** A project with a little knowledge in it, and a way to type commands there. */
async function shell() {
  const repository = createRepository()
  const type = async (words: readonly string[]) => {
    const terminal = createTestTerminal(repository.directory)
    const exit = await runCli(words, terminal)
    return { exit, ...terminal.output }
  }
  const run = async (...words: string[]) => {
    const { exit, out, err } = await type(words)
    expect([exit, err]).toEqual([0, ''])
    return out
  }
  for (const words of [
    ['init'],
    ['add', 'decision', 'Use SQLite', '--status', 'accepted', '--tag', 'db'],
    ['add', 'decision', 'Use Redis', '--tag', 'cache'],
    ['add', 'task', 'Write the driver', '--priority', 'high', '--relation', 'implements:1'],
    ['add', 'task', 'Write queries'],
    ['add', 'prompt', 'Explain', '--template', 'Explain {{what}}', '--variable', 'what'],
    ['relation', 'add', '3', '4', '--type', 'blocks'],
  ]) {
    await type(words)
  }
  return { ...repository, type, run }
}

describe('every capability has a command', () => {
  it('waymark search, with filters in the query string [knowledge-commands-waymark-search]', async () => {
    await using sh = await shell()
    expect(await sh.run('search', 'sqlite')).toMatch(
      /^#1 Use SQLite \[decision, accepted, by \w[^\]]*\]/,
    )
    expect(await sh.run('search', 'type:decision tag:cache')).toMatch(/^#2 Use Redis/)
    expect(await sh.run('search', 'nothing-of-the-kind')).toContain('nothing found')
    expect(await sh.run('search', 'sqlte')).toContain('searched for sqlite')
    expect(JSON.parse(await sh.run('search', 'sqlite', '--json'))).toMatchObject({
      mode: 'fulltext',
      total: 1,
    })
    expect(JSON.parse(await sh.run('search', 'sqlite', '--semantic', '--json'))).toMatchObject({
      mode: 'hybrid',
    })
    expect(await sh.run('search', 'semantic', 'sqlite')).toContain('approximate')
  })

  it('waymark tasks ready, next and blocked [knowledge-commands-waymark-tasks]', async () => {
    await using sh = await shell()
    expect(await sh.run('tasks', 'ready')).toContain('Write the driver')
    expect(await sh.run('tasks', 'ready')).not.toContain('Write queries')
    expect(await sh.run('tasks', 'ready', '--limit', '5')).toContain('Write the driver')
    expect(await sh.run('tasks', 'next')).toContain('Write the driver')
    expect(await sh.run('tasks', 'blocked')).toContain('Write queries')
    expect(JSON.parse(await sh.run('tasks', 'blocked', '4', '--json'))).toMatchObject({
      tasks: [{ number: 4, blockers: [{ number: 3 }] }],
    })
  })

  it('waymark graph [knowledge-commands-waymark-graph]', async () => {
    await using sh = await shell()
    expect(await sh.run('graph', 'around', '3')).toMatch(/#1\tUse SQLite\t.*\t1\n/)
    expect(await sh.run('graph', 'path', '4', '1')).toMatch(
      /#4 Write queries\n {2}← blocks\n#3 .*\n {2}implements →\n#1 Use SQLite/,
    )
    expect(await sh.run('graph', 'path', '2', '1')).toBe('no path\n')
    expect(await sh.run('graph', 'orphans')).toContain('Use Redis')
    expect(await sh.run('graph', 'cycles')).toBe('no cycles\n')
    expect(await sh.run('graph', 'impact', '1')).toContain('Write queries')
    expect(await sh.run('graph', 'export')).toMatch(/^graph LR\n/)
    expect(await sh.run('graph', 'export', 'dot')).toMatch(/^digraph/)
  })

  it('waymark decision supersede [knowledge-commands-waymark-decision]', async () => {
    await using sh = await shell()
    expect(await sh.run('decision', 'supersede', '1', '2')).toMatch(/#1 .* is superseded by #2 /)
    expect(await sh.run('get', '1')).toContain('superseded')
  })

  it('waymark cache stats and rebuild [knowledge-commands-waymark-cache]', async () => {
    await using sh = await shell()
    expect(await sh.run('cache', 'stats')).toContain('5 texts')
    expect(await sh.run('cache', 'rebuild')).toMatch(/5 texts seen, 0 waiting/)
  })

  it('waymark snapshot, hook, prompts, statistics and batches [knowledge-commands-waymark-snapshot]', async () => {
    await using sh = await shell()
    expect(await sh.run('snapshot')).toContain('decisions/001-use-sqlite.md')
    expect(await sh.run('snapshot')).toContain('up to date')
    expect(existsSync(join(sh.directory, '.waymark/snapshot/README.md'))).toBe(true)
    expect(await sh.run('hook', 'status')).toContain('Not installed')
    expect(await sh.run('prompt', 'list')).toMatch(/explain\twhat\t/)
    expect(
      await sh.run('prompt', 'render', '--input', '{"name":"explain","arguments":{"what":"it"}}'),
    ).toBe('Explain it\n')
    expect(await sh.run('project', 'stats')).toContain('2 decisions, 2 tasks')
    const batch = ['entity', 'batch', '--input']
    const deletion = '{"operations":[{"op":"create"},{"op":"Delete","id":"99"}]}'
    expect(await sh.run(...batch, deletion, '--force')).toContain('0 done, 2 failed')
  })

  it('several changes at once are asked about only if one of them deletes', async () => {
    await using sh = await shell()
    const batch = ['entity', 'batch', '--input']
    const edit = ['task', 'edit', '--input']
    for (const words of [
      [...batch, '{"operations":[{"op":"update","id":"1"},{"op":"delete","id":"2"}]}'],
      [...edit, '{"edits":[{"action":"complete","id":"3"},{"action":"delete","id":"4"}]}'],
    ]) {
      const { exit, err } = await sh.type(words)
      expect([exit, err]).toEqual([2, expect.stringContaining('pass --force')])
    }
    expect(
      await sh.run(...batch, '{"operations":[{"op":"update","id":"1","title":"Use it"}]}'),
    ).toContain('1 done')
    await sh.run(...edit, '{"edits":[{"action":"complete","id":"3"}]}')
    expect(await sh.run('list', 'tasks')).toContain('Write queries')
  })

  it('what goes wrong has an exit code and, with --json, a form that programs read', async () => {
    await using sh = await shell()
    const missing = await sh.type(['graph', 'path', '1', '99', '--json'])
    expect(missing.exit).toBe(3)
    expect(JSON.parse(missing.err)).toMatchObject({ error: { code: 'not_found' } })
    expect((await sh.type(['search', 'created:>never'])).exit).toBe(2)
  })
})
