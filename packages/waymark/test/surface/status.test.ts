import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
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
  await execute(person, claimTask, { id: 'store' })
  return project
}

describe('waymark alone', () => {
  it('shows what you hold, what is ready, what waits for what, and what happened', async () => {
    await using project = await planned()
    const { exit, out } = await run(project.directory, [])
    expect(exit).toBe(0)
    expect(out).toMatch(/: Go on with #1\.\n/)
    expect(out).toMatch(/You hold\n1\tWrite the store\t\d+ min\n/)
    expect(out).toMatch(/Ready \(1\)\n3\tChoose a name\t500\n/)
    expect(out).toMatch(/Blocked \(1\)\n2\tWrite the docs\t1\n/)
    expect(out).toMatch(/Lately\n.*1 claimed\tWrite the store\tTest Author\n/)
    expect(out).toMatch(/0 unread .* 3 not synced/)
    expect((await run(project.directory, ['status'])).out).toBe(out)
  })

  it('fits the screen, however narrow, and is plain where colours are not wanted', async () => {
    await using project = await planned()
    const { out } = await run(project.directory, ['status'], { interactive: true, columns: 40 })
    const rows = out.split('\n').slice(1, -2)
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(40)
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

  it('names the way in where there is no project', async () => {
    await using repository = createRepository()
    const { exit, err } = await run(repository.directory, [])
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
