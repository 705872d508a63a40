import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { initialiseProject } from '../../src/core/project/project.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createTestRepository } from '../git/repository.ts'
import { CLIENT } from '../operations/code/code-setup.ts'
import { createTestTerminal } from './test-terminal.ts'

const FILE = 'src/client.ts'
const ANNOTATION = {
  summary: 'A client that retries on its own',
  regions: [
    {
      file: FILE,
      anchor: 'connect',
      intent: 'Dial with bounded retries',
      reasoning: 'The broker forgets.',
      constraints: ['at most ten tries'],
      semantic_dependencies: [{ file: FILE, anchor: 'parse', nature: 'is total' }],
    },
  ],
}

async function annotated() {
  const test = createTestRepository()
  await initialiseProject(test.directory)
  test.commit('Add a client', { [FILE]: CLIENT })
  const run = async (args: readonly string[], stdin = '', folder = '') => {
    const cwd = join(test.directory, folder)
    const terminal = createTestTerminal(cwd, { stdin, readStdin: async () => stdin })
    const exit = await runCli(args, terminal)
    return { exit, ...terminal.output }
  }
  await run(['code', 'annotate', '--input', '-'], JSON.stringify(ANNOTATION))
  return { ...test, run }
}

it('a path starts in the folder where it is typed, as with git [code-path-from-here]', async () => {
  await using test = await annotated()
  const inSrc = (...words: string[]) => test.run(words, '', 'src')
  for (const verb of ['why', 'read', 'history', 'show', 'summary', 'deps']) {
    const anchor = verb === 'deps' ? ['parse'] : []
    const top = await test.run(['code', verb, FILE, ...anchor])
    for (const path of ['client.ts', '../src/client.ts', join(test.directory, FILE)]) {
      const here = await inSrc('code', verb, path, ...anchor)
      expect([here.err, here.out], `${verb} ${path}`).toEqual(['', top.out])
    }
    expect((await inSrc('code', verb, FILE, ...anchor)).exit, verb).not.toBe(0)
  }
  expect((await inSrc('task', 'check-edit', 'client.ts')).out).toContain(FILE)
  expect((await inSrc('brief', '--path', 'client.ts')).out).toContain(FILE)
  expect((await inSrc('code', 'why', '../../x.ts')).err).toContain('leads out of the repository')
  expect((await inSrc('code', 'why', '--input', JSON.stringify({ path: FILE }))).exit).toBe(0)
})

describe('the command line shows code and its annotations', () => {
  it('code read: Markdown for people, JSON for programs', async () => {
    await using test = await annotated()
    const { out } = await test.run(['code', 'read', FILE, 'connect'])
    expect(out).toContain(`## ${FILE} — Client.connect`)
    expect(out).toContain('fresh · confidence 1')
    expect(out).toContain('- [author] at most ten tries')
    const { out: json } = await test.run(['code', 'read', FILE, '--json'])
    expect(JSON.parse(json)).toMatchObject({ $schema: 'ultragit-read/v1' })
  })

  it('code why, deps, history, summary, status and verify are read by people', async () => {
    await using test = await annotated()
    expect((await test.run(['code', 'why', FILE])).out).toContain(
      '**Must stay true**\n- Client.connect: at most ten tries',
    )
    expect((await test.run(['code', 'deps', FILE, 'parse'])).out).toContain('is total')
    expect((await test.run(['code', 'history', FILE])).out).toContain('Add a client')
    expect((await test.run(['code', 'summary', 'src'])).out).toContain(
      '1 of 5 units annotated, 1 file',
    )
    expect((await test.run(['code', 'status'])).out).toContain(
      '1 of the last 1 commit annotated (100 %)',
    )
    expect((await test.run(['code', 'verify'])).out).toContain('everything is where it should be')
    expect((await test.run(['code', 'repair'])).out).toBe('nothing is lost\n')
    expect((await test.run(['code', 'read', FILE, 'close'])).out).toBe(
      'nothing is annotated here\n',
    )
  })

  it('tells in words what it wrote and what the next commit will say', async () => {
    await using test = await annotated()
    const say = async (...args: string[]) => (await test.run(['code', ...args])).out
    expect(await say('context-show')).toBe('no pending text for the next commit\n')
    expect(await say('note', 'the broker restarts at noon')).toBe(
      '**Notes**\n- the broker restarts at noon\n',
    )
    expect(await say('context-set', 'Fewer dials', '--task', 'T-1')).toBe(
      'task: T-1\nreasoning: Fewer dials\n\n**Notes**\n- the broker restarts at noon\n',
    )
    expect(await say('context-clear')).toBe('forgot 2 notes for the next commit\n')
    expect(await say('hooks')).toContain('post-commit: not installed\n')
    expect(await say('hooks-install')).toContain('post-commit: installed\n')
    expect(await say('correct', FILE, 'connect', '--reason', 'it is five')).toMatch(
      /^flag: .*Client\.connect \([0-9a-f]{12}\): it is five\n$/,
    )
    expect(
      await say('annotate', '--summary', 'Bounded retries spare the broker', '--replace'),
    ).toMatch(/^annotated [0-9a-f]{12}, the whole commit\n/)
  })

  it('code show: the file with letters in the margin', async () => {
    await using test = await annotated()
    const { out } = await test.run(['code', 'show', FILE])
    expect(out).toContain('    6 a  │   async connect(retries: number): Promise<void> {')
    expect(out).toContain('    5    │')
    expect(out).toContain('a Dial with bounded retries (fresh,')
  })

  it('stored text cannot take over the terminal', async () => {
    await using test = await annotated()
    await test.run([
      'code',
      'correct',
      FILE,
      'connect',
      '--reason',
      'bad \u001b[31mred\u001b[0m \u202e',
    ])
    const { out } = await test.run(['code', 'read', FILE])
    expect(out).toContain('bad \\u{1b}[31mred')
    expect(out).not.toContain('\u001b')
  })

  it('code export writes lines that code import reads in another clone', async () => {
    await using test = await annotated()
    const { out } = await test.run(['code', 'export'])
    const clone = test.clone('clone')
    await initialiseProject(clone.directory)
    const terminal = createTestTerminal(clone.directory, { readStdin: async () => out })
    expect(await runCli(['code', 'import', '--stdin', '--json'], terminal)).toBe(0)
    expect(JSON.parse(terminal.output.out)).toEqual({
      imported: 1,
      already_there: 0,
      unknown_commits: 0,
      unreadable: 0,
      dry_run: false,
    })
    const again = createTestTerminal(clone.directory, { readStdin: async () => `${out}nonsense\n` })
    await runCli(['code', 'import', '--stdin', '--json'], again)
    expect(JSON.parse(again.output.out)).toMatchObject({
      imported: 0,
      already_there: 1,
      unreadable: 1,
    })
  })
})
