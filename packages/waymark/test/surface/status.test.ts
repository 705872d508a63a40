import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import type { Terminal } from '../../src/surfaces/terminal/terminal.ts'
import { createRepository, setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

async function run(directory: string, words: readonly string[], options: Partial<Terminal> = {}) {
  const terminal = createTestTerminal(directory, options)
  const exit = await runCli(words, terminal)
  return { exit, ...terminal.output }
}

async function planned() {
  const project = await setup({ clock: Date.now })
  // The name that git knows, as at the terminal of whoever looks.
  const person = project.as('Test Author')
  await execute(person, createTask, { title: 'Write the store', key: 'store' })
  await execute(person, createTask, { title: 'Write the docs', depends_on: ['store'] })
  await execute(person, createTask, { title: 'Choose a name' })
  await run(project.directory, ['task', 'claim', 'store'])
  return project
}

describe('waymark alone', () => {
  it('shows who holds what, what is ready, what waits for what, and what happened', async () => {
    await using project = await planned()
    const { exit, out } = await run(project.directory, [])
    expect(exit).toBe(0)
    expect(out).toMatch(/^\S+: 1 in progress, 1 ready, 1 blocked\n/)
    expect(out).toMatch(/In progress \(1\)\n#1\tWrite the store\tTest Author\t\d+ s\t14 min\n/)
    expect(out).toMatch(/Ready \(1\)\n#3\tChoose a name\tnormal\n/)
    expect(out).toMatch(/Blocked \(1\)\n#2\tWrite the docs\t#1 Write the store\n/)
    expect(out).toMatch(/Lately\n\d+ s\t#1 claimed\tWrite the store\tTest Author\n/)
    expect(out).toMatch(/0 unread .* 3 not synced/)
    const withoutAges = (text: string) => text.replaceAll(/\d+ s\b/g, 'now')
    const named = await run(project.directory, ['status'])
    expect(withoutAges(named.out)).toBe(withoutAges(out))
  })

  it('shows what needs a person first: questions, what to verify, what is overdue', async () => {
    await using project = await planned()
    const { context } = project
    await execute(context, createEntity, { type: 'note', title: 'Which name?', tags: ['question'] })
    await execute(context, createTask, { title: 'Old', due_date: '2020-01-02' })
    await execute(context, createTask, { title: 'Checked', needs_verification: true })
    await execute(project.as('ann'), completeTask, { id: '6' })
    await execute(context, createTask, { title: 'Theirs', status: 'in_progress', assignee: 'bo' })
    const { out } = await run(project.directory, ['status'])
    expect(out).toMatch(/: 1 question, 1 to verify, 1 overdue, 2 in progress/)
    expect(out).toMatch(/Questions to you \(1\).*\n {2}#4 tester: Which name\?\n/)
    expect(out).toMatch(/To verify \(1\)\n#6\tChecked\tann\n/)
    expect(out).toMatch(/Overdue \(1\)\n#5\tOld\t2020-01-02\n/)
    expect(out).toMatch(/#7\tTheirs\tbo\t\d+ s\t\n/)
    expect(out.indexOf('Questions')).toBeLessThan(out.indexOf('In progress'))
  })

  it('says how many of all are shown', async () => {
    await using project = await planned()
    for (let n = 0; n < 7; n += 1) {
      await execute(project.context, createTask, { title: `Stuck ${n}`, status: 'blocked' })
    }
    const { out } = await run(project.directory, ['status'])
    expect(out).toContain('Blocked (5 of 8)\n')
    expect(out).toContain('its status says so')
  })

  it('fits the screen, however narrow, and is plain where colours are not wanted', async () => {
    await using project = await planned()
    const { out } = await run(project.directory, ['status'], { interactive: true, columns: 40 })
    const rows = out.split('\n').slice(1, -3)
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(40)
    const { out: wide } = await run(project.directory, ['status'], {
      interactive: true,
      columns: 60,
    })
    expect(Math.max(...wide.split('\n').map((row) => row.length))).toBeLessThanOrEqual(60)
    expect(out).not.toContain('\u001b')
  })

  it('is one JSON object for programs', async () => {
    await using project = await planned()
    expect(JSON.parse((await run(project.directory, ['--json'])).out)).toMatchObject({
      holding: [{ number: 1 }],
      ready_total: 1,
      blocked: [{ number: 2, waits_for: [1] }],
    })
  })

  it('is headed by the repository, also in a linked worktree [status-names-repository]', async () => {
    await using project = await planned()
    const { directory } = project
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
    execFileSync('git', ['-C', directory, ...author, 'commit', '-q', '--allow-empty', '-m', 'x'])
    const tree = `${directory}-tree`
    execFileSync('git', ['-C', directory, 'worktree', 'add', '-q', '-b', 'feature', tree])
    try {
      const { out } = await run(tree, ['status'])
      expect(out).toContain(`${basename(directory)}: `)
    } finally {
      rmSync(tree, { recursive: true, force: true })
    }
  })

  it('names the way in where there is no project', async () => {
    await using repository = createRepository()
    const { exit, err } = await run(repository.directory, ['status'])
    expect(exit).toBe(5)
    expect(err).toMatch(/waymark init.*\n.*waymark --help/)
  })
})

describe('a thing that is named by its title', () => {
  it.each([
    [['get', 'sqlite']],
    [['task', 'get', 'chose a nam']],
    [['delete', 'choose', '--force']],
  ])('is suggested, not guessed: %j', async (words) => {
    await using project = await planned()
    await execute(project.context, createEntity, { type: 'decision', title: 'Use SQLite' })
    const { exit, err } = await run(project.directory, words)
    expect(exit).not.toBe(0)
    expect(err).toMatch(
      /hint: did you mean (4 \(decision: Use SQLite\)|.*3 \(task: Choose a name\))/,
    )
  })

  it('is not suggested when it is a number', async () => {
    await using project = await planned()
    expect((await run(project.directory, ['get', '99'])).err).toContain('`waymark list`')
  })
})
