import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { waymark } from './binary.ts'

type Fields = Record<string, unknown>

/** Somebody who has nothing but a repository and a home with nothing in it. */
function newcomer() {
  const repository = createRepository()
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'))
  const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '', APPDATA: join(home, 'AppData') }
  return {
    directory: repository.directory,
    env,
    run: (...words: string[]) => waymark(repository.directory, words, env),
    [Symbol.asyncDispose]: async () => {
      await repository[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** A host that is started again: reads the file that was written for it and starts what stands there. */
async function startHost(directory: string, file: string, env: Record<string, string>) {
  const settings = JSON.parse(readFileSync(join(directory, file), 'utf8')) as {
    mcpServers: Record<string, { command: string; args: string[]; env?: Record<string, string> }>
  }
  const entry = settings.mcpServers['waymark']
  if (entry === undefined) throw new Error(`no waymark in ${file}`)
  const client = new Client({ name: 'a-host', version: '1' })
  const transport = new StdioClientTransport({
    command: entry.command,
    args: entry.args,
    cwd: directory,
    env: { ...(process.env as Record<string, string>), ...env, ...entry.env },
    stderr: 'ignore',
  })
  // The 1.x types predate exact optional properties; at run time this is how the package is meant to be used.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return {
    call: async (name: string, args: Fields = {}) => {
      const answer = await client.callTool({ name, arguments: args })
      expect(answer.isError, JSON.stringify(answer.content)).not.toBe(true)
      return answer.structuredContent as Fields
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

describe('the first ten minutes', () => {
  it.each([
    ['claude-code', '.mcp.json'],
    ['cursor', '.cursor/mcp.json'],
  ])('in %s: installed, briefed, a task done, a decision recalled', async (host, file) => {
    await using person = newcomer()
    const { run, directory, env } = person
    expect(await run('init')).toMatchObject({ exit: 0 })
    expect(await run('install', host, '--yes')).toMatchObject({ exit: 0 })

    await using session = await startHost(directory, file, env)
    expect((await session.call('brief'))['next']).toMatch(/^No open tasks/)
    await session.call('task_create', { tasks: [{ title: 'Write the session store' }] })
    const { claimed } = await session.call('task_next', { claim: true })
    const { number, fence } = claimed as { number: number; fence: number }
    await session.call('remember', {
      type: 'decision',
      title: 'Keep sessions in SQLite',
      content: 'One file, no server.',
      properties: { status: 'accepted' },
      relations: [`references:${number}`],
    })
    await session.call('task_update', { ids: [String(number)], action: 'complete', fence })

    await using next = await startHost(directory, file, env)
    const { decisions } = await next.call('brief', { topic: 'where sessions are kept' })
    expect(decisions).toMatchObject([{ title: 'Keep sessions in SQLite', by: 'a-host' }])
    const { results } = await next.call('recall', { query: 'sqlite' })
    expect(results).toMatchObject([{ title: 'Keep sessions in SQLite', via: 'mcp' }])
    const { out } = await run()
    expect(out).toContain('no open tasks')
    expect(out).toMatch(/Write the session store/)
  })
})

/** What stands for the words in angle brackets, and for commands that need more than the README says. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'waymark add': ['add', 'note', 'A note'],
  'waymark get': ['get', '1'],
  'waymark update': ['update', '1', '--title', 'Another title'],
  'waymark relation add <source> <target> --type <name>':
    'relation add 2 1 --type references'.split(' '),
  'waymark search <words>': ['search', 'title'],
  'waymark tasks claim': ['tasks', 'claim', '2'],
  'waymark tasks complete': ['tasks', 'complete', '2'],
  'waymark agents': ['agents', 'list'],
  'waymark messages': ['messages', 'list', '--actor', 'kim'],
  'waymark graph': ['graph', 'orphans'],
  'waymark code why <path>': ['code', 'why', 'README.md'],
  'waymark sync': ['sync', '--dry-run'],
  'waymark log': ['log', '1'],
  'waymark delete': ['delete', '3', '--force'],
  'waymark restore': ['restore', '3'],
  'waymark undo': ['undo', 'kim', '2026-01-01T00:00:00Z', '--dry-run'],
  'waymark install': ['install', '--list'],
  'waymark help <command>': ['help', 'add'],
}

/** Runs until it is told to stop, with whatever options; tried elsewhere, as a server. */
const SERVER = /^waymark (?:serve|ui)( |$)/

/** Every command that the README names: `waymark add`, and for `list` beside it, `waymark list`. */
function commandsIn(text: string): readonly string[] {
  const found: string[] = []
  for (const line of text.split('\n')) {
    let last: string | undefined
    const [place = ''] = line.startsWith('| `waymark') ? line.split(' | ') : [line]
    for (const [, code = ''] of place.matchAll(/`([^`]+)`/g)) {
      if (code.startsWith('waymark ')) last = code
      else if (line.startsWith('| `waymark') && last !== undefined && /^[a-z]+$/.test(code)) {
        last = `${last.split(' ').slice(0, -1).join(' ')} ${code}`
      } else continue
      found.push(last)
    }
  }
  return [...new Set(found)].filter((command) => !SERVER.test(command))
}

it('every command that the README names does what it says', async () => {
  await using person = newcomer()
  const { directory, run } = person
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
  const commands = commandsIn(readme)
  expect(commands.length).toBeGreaterThan(20)
  writeFileSync(join(directory, 'README.md'), 'Read me\n')
  commitAll(directory)
  await run('init')
  await run('add', 'note', 'A title')
  await run('add', 'task', 'A task')
  await run('add', 'note', 'Another one')
  for (const command of commands) {
    const words = EXAMPLES[command] ?? command.split(' ').slice(1)
    const { exit, err } = await run(...words)
    expect(exit, `${command}: ${err}`).toBe(0)
  }
})

function commitAll(directory: string): void {
  const git = (...words: string[]) => execFileSync('git', ['-C', directory, ...words])
  git('add', '.')
  git('-c', 'user.email=kim@example.com', 'commit', '--quiet', '--message', 'First')
}
