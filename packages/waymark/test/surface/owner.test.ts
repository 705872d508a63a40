import { describe, expect, it } from 'vitest'
import { watch } from '../../src/surfaces/watch/watch-command.ts'
import { shell } from './shell.ts'
import { createTestTerminal } from './test-terminal.ts'

async function shellWithQuestion() {
  const sh = await shell()
  await sh.run(['task', 'add', 'Checkout'])
  const ask = ['message', 'send', 'Drop the old table?', '--to', 'owner', '--actor', 'ada']
  expect(await sh.run(ask)).toMatchObject({ out: 'sent m1 to the owner\n' })
  return sh
}

describe('a question to the owner', () => {
  it('is on the first screen, in the inbox and in watch until the person has answered it', async () => {
    await using sh = await shellWithQuestion()
    const { out: status } = await sh.run('status')
    expect(status).toContain('Questions to you (1)')
    expect(status).toContain('m1 ada: Drop the old table?')
    expect((await sh.run('inbox')).out).toContain('Drop the old table?')
    expect(await screenOf(sh.directory)).toMatch(/m1 +Drop the old table\? +ada/)
    expect(await sh.run(['answer', '1', 'yes'])).toMatchObject({
      exit: 0,
      out: 'answered: sent m2 to ada; 0 questions open\n',
    })
    expect((await sh.run('status')).out).not.toContain('Questions')
    expect((await sh.run('inbox')).out).toBe('nothing waits for you\n')
    expect(await screenOf(sh.directory)).not.toContain('Questions')
    expect((await sh.run('messages --actor ada')).out).toContain('from the owner (Test Author)')
  })

  it('is shown with names, not ids', async () => {
    await using sh = await shellWithQuestion()
    const { out } = await sh.run('messages --all')
    expect(out).toContain('from ada, to the owner')
    expect(out).not.toMatch(/A[0-9A-F]{8}/)
  })

  it.each([
    [['answer', '9', 'x'], 3, 'there is no open question 9; open are m1'],
    [['answer', 'soon', 'x'], 2, 'must be a number such as 3'],
    [['answer', '1', ' '], 2, 'body: must not be empty'],
    [['answer'], 2, "missing required argument 'question'"],
  ])('%j is refused and changes nothing', async (words, exit, err) => {
    await using sh = await shellWithQuestion()
    expect(await sh.run(words)).toMatchObject({ exit, err: expect.stringContaining(err) })
    expect((await sh.run('inbox')).out).toContain('Drop the old table?')
  })
})

describe('a command that an agent runs', () => {
  it('says on standard error that a person has ended its lease', async () => {
    await using sh = await shellWithQuestion()
    await sh.run('task take --actor ada')
    await sh.run(['task', 'cancel', '1', '--force', '--reason', 'not needed'])
    const told = 'lease_lost: the owner (Test Author) ended your lease on #1 (fence 1): not needed'
    expect((await sh.run('list --json --actor bo')).err).toBe('')
    expect((await sh.run('list --json --actor ada')).err).toContain(told)
    expect((await sh.run('list --json --actor ada')).err).toBe('')
  })

  const SHELLS: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['with --actor', '--actor bo', {}],
    ['with WAYMARK_ACTOR', '', { WAYMARK_ACTOR: 'Test Author' }],
    ['in Claude Code', '', { CLAUDECODE: '1' }],
    ['in Cursor', '', { CURSOR_AGENT: '1' }],
    ['in Codex', '', { CODEX_SANDBOX: 'seatbelt' }],
    ['in Gemini CLI', '', { GEMINI_CLI: '1' }],
    ['in another host', '', { AI_AGENT: 'devin' }],
  ]

  it.each(SHELLS)(
    '%s has no right of the person [agent-shell-is-no-person]',
    async (_, actor, env) => {
      await using sh = await shellWithQuestion()
      await sh.run('task take --actor ada')
      const refused = { exit: 1, err: expect.stringContaining('only the person can') }
      expect(await sh.run(`answer 1 yes ${actor}`, { env })).toMatchObject(refused)
      expect(await sh.run(`messages --all ${actor}`, { env })).toMatchObject(refused)
      expect(await sh.run(`task cancel 1 --force ${actor}`, { env })).toMatchObject({ exit: 4 })
      expect((await sh.run(`inbox ${actor}`, { env })).out).not.toContain('Drop the old table?')
      await sh.run(`message send hello --to ada ${actor}`, { env })
      const { out } = await sh.run('messages --actor ada')
      expect(out).toContain('hello')
      expect(out).not.toMatch(/the owner/)
    },
  )
})

async function screenOf(directory: string): Promise<string> {
  const terminal = createTestTerminal(directory, { interactive: true })
  const stop = new AbortController()
  const watching = watch({}, terminal, stop.signal)
  await expect.poll(() => terminal.output.out).toContain('q quit')
  stop.abort()
  await watching
  return terminal.output.out
}
