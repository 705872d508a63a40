import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { NO_AGENT, startServerUnder, WAYMARK } from '../e2e/binary.ts'
import { signIn, type Started, startUi } from '../e2e/ui-process.ts'
import { runHook } from '../../src/surfaces/hook/run-hook.ts'
import type { HookEvent } from '../../src/hook/host/hosts.ts'
import { readFrames } from '../surface/event-frames.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { createTeam } from './joined-clone.ts'

type Machine = Awaited<ReturnType<Awaited<ReturnType<typeof createTeam>>['join']>>

/** What a hook of a session prints in a clone. */
async function hook({ directory, env }: Machine, event: HookEvent, fields = {}): Promise<string> {
  const stdin = JSON.stringify({ session_id: 'talk-1', cwd: directory, ...fields })
  const terminal = createTestTerminal(directory, { stdin, env })
  await runHook(event, 'claude-code', terminal)
  return terminal.output.out
}

const edit = (path: string) => ({ tool_name: 'Edit', tool_input: { file_path: path } })

it('in a joined clone hooks, check-edit and MCP act as one agent of the server [team-join-hooks]', async () => {
  await using team = await createTeam()
  await using ann = await team.join('ann')
  await using bo = await team.join('bo')
  await ann.run(['task', 'create', 'Parser', '--lock', 'src/**'])
  await using host = await startServerUnder([], ann.directory, {
    env: { ...NO_AGENT, ...ann.env, CLAUDE_CODE_SESSION_ID: 'talk-1' },
    client: 'claude-code',
  })
  await host.request('tools/call', { name: 'task_next', arguments: { claim: true } })

  const file = `${bo.directory}/src/a.ts`
  expect(await hook(bo, 'before-edit', edit(file))).toContain('holds #1')
  expect((await bo.run(['task', 'check-edit', file])).body).toMatchObject({
    path: 'src/a.ts',
    free: false,
  })
  // The same session as the server on pipes: its own lock is not in its way.
  const own = edit(`${ann.directory}/src/a.ts`)
  expect(await hook(ann, 'before-edit', own)).toBe('')
  await hook(ann, 'after-edit', own)
  await bo.run(['message', 'send', 'Tabs please'])
  expect(await hook(ann, 'prompt')).toContain('Tabs please')
  const reminder = await hook(ann, 'stop')
  expect(reminder).toContain('#1')
  expect(reminder).toContain('src/a.ts')
  expect(await hook(ann, 'stop')).toBe('')
  await hook(ann, 'session-end')
  const { body } = await bo.run<{ agents: { presence: string; held: object[] }[] }>([
    'agent',
    'list',
    '--include-offline',
  ])
  expect(body.agents).toContainEqual(
    expect.objectContaining({ presence: 'offline', held: [expect.anything()] }),
  )
})

it('in a joined clone `ui` and `watch` show the team server, and the person acts as a member [team-join-live]', async () => {
  await using team = await createTeam()
  await using ann = await team.join('ann', '--role', 'maintainer')
  await using bo = await team.join('bo')
  await using page = await startUi(ann.directory, ['--json', '--no-open'], ann.env)
  const { url } = JSON.parse(page.line) as Started
  const { origin } = new URL(url)
  const headers = { authorization: `Bearer ${await signIn(url)}` }
  const stream = await fetch(`${origin}/api/event.stream?rows=task`, { headers })
  await using frames = readFrames(stream)
  const watching = spawn(process.execPath, [WAYMARK, 'watch', '--events', '--since', '0'], {
    cwd: ann.directory,
    env: { ...process.env, ...NO_AGENT, ...ann.env },
  })
  const seen = new Promise<string>((resolve) => {
    let out = ''
    watching.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.includes('Parser')) resolve(out)
    })
  })

  await bo.run(['task', 'create', 'Parser'])
  await bo.run(['task', 'claim', '1', '--actor', 'robot'])
  expect(await frames.next()).toMatchObject({ data: expect.anything() })
  expect(await seen).toContain('Parser')
  watching.kill('SIGKILL')
  const ask = (operation: string, input: object) =>
    fetch(`${origin}/api/${operation}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
  const taken = await ask('task.take_back', { id: '1', reason: 'ours' })
  expect([taken.status, await taken.json()]).toMatchObject([200, { task: { number: 1 } }])
  // A member whose role is agent is no person to the server.
  const refused = await bo.run(['task', 'take-back', '1', '--reason', 'mine'])
  expect(refused.body).toMatchObject({ error: { details: { reason: 'not_the_person' } } })
})

it('in a joined clone clients are notified of what happens at the server [team-join-notified]', async () => {
  await using team = await createTeam()
  await using ann = await team.join('ann')
  await using bo = await team.join('bo')
  const env = { ...NO_AGENT, ...ann.env }
  await using host = await startServerUnder([], ann.directory, { args: DIALECT, env })
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  host.child.stdin.write(`${JSON.stringify(initialized)}\n`)
  await host.request('resources/subscribe', { uri: 'medulla://entities' })
  const isTold = () => host.lines.some((line) => line.includes('resources/updated'))
  // The first event may come before the server listens for them.
  for (let count = 1; count <= 20 && !isTold(); count += 1) {
    await bo.run(['task', 'create', `Task ${count}`])
    await pause(100)
  }
  expect(isTold()).toBe(true)
})

const DIALECT = ['--dialect', 'medulla']
