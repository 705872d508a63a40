import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSqlite } from '@waymark/sqlite'
import { joinAgent, listAgents } from '../../src/agent/operations.ts'
import { conversationOf } from '../../src/agent/session/conversation.ts'
import { showBrief } from '../../src/brief/operations.ts'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { listEvents } from '../../src/event/operations.ts'
import type { HookEvent } from '../../src/hook/host/hosts.ts'
import { answerQuestion } from '../../src/message/answer.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { thisProcess, toProcessName } from '../../src/support/process-identity.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { runHook } from '../../src/surfaces/hook/run-hook.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { connect } from '../dialects/client.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { type Setup, setup } from '../setup.ts'
import { toAgentId } from '../../src/agent/agent.ts'

const MINUTE = 60_000

interface Session {
  readonly host?: string
  readonly process?: string
}

/** A session of a host, as `waymark serve` has it. */
function session(project: Setup, id: string, { host = 'claude-code', process }: Session = {}) {
  const running = { name: process ?? thisProcess(), startedAt: project.context.now() }
  return project.as('', {
    agent: {
      name: host,
      surface: 'mcp',
      id: toAgentId(id),
      session: conversationOf(host, id),
      process: running,
    },
  })
}

interface Hook {
  readonly host?: string
  readonly [field: string]: unknown
}

/** What a hook prints, with what a host sends for a file in the project. */
async function hook(project: Setup, event: HookEvent, given: Hook = {}): Promise<string> {
  const { host = 'claude-code', ...fields } = given
  const stdin = JSON.stringify({ session_id: 'host-1', cwd: project.directory, ...fields })
  const terminal = createTestTerminal(project.directory, { stdin })
  await runHook(event, host, terminal)
  expect(terminal.output.err).toBe('')
  return terminal.output.out
}

function edit(path: string) {
  return { tool_name: 'Edit', tool_input: { file_path: path } }
}

/** A task with a lock for each agent; the clock is the machine's, as it is for commands. */
async function projectWithTasks(...locks: readonly string[]): Promise<Setup> {
  const project = await setup({ clock: Date.now })
  for (const lock of locks)
    await execute(project.context, createTask, { title: `Rework ${lock}`, locks: [lock] })
  return project
}

async function typesOf({ context }: Setup): Promise<readonly string[]> {
  const { events } = await execute(context, listEvents, { limit: 200 })
  return events.map(({ type }) => type)
}

async function leaseOf(context: Context, id: string): Promise<{ expires_at: string } | undefined> {
  return (await execute(context, getTask, { id })).lease ?? undefined
}

describe('before an edit', () => {
  it('a file that another agent has reserved is refused with holder, task and time [hook-refuses-reserved]', async () => {
    await using project = await projectWithTasks('src/**')
    await execute(session(project, 'S1', { host: 'codex' }), claimTask, { id: '1' })
    const out = JSON.parse(
      await hook(project, 'before-edit', edit(join(project.directory, 'src/a.ts'))),
    )
    expect(out.hookSpecificOutput).toMatchObject({ permissionDecision: 'ask' })
    expect(out.hookSpecificOutput.permissionDecisionReason).toMatch(
      /^src\/a\.ts is reserved: codex holds #1 "?Rework src\/\*\*"? since \d+ seconds?, for 15 minutes more/,
    )
    const patch = {
      session_id: 'S1',
      tool_name: 'apply_patch',
      tool_input: { command: '*** Update File: src/b.ts' },
    }
    const replace = { tool_name: 'replace', tool_input: { file_path: 'src/b.ts' } }
    const gemini = await hook(project, 'before-edit', { host: 'gemini', ...replace })
    expect(JSON.parse(gemini)).toMatchObject({
      decision: 'deny',
      reason: expect.stringMatching(/^src\/b\.ts is reserved/),
    })
    expect(await hook(project, 'before-edit', { host: 'codex', ...patch })).toBe('')
  })

  it('the agent’s own files and free ones are not its business', async () => {
    await using project = await projectWithTasks('src/**', 'docs/**')
    await execute(session(project, 'S1'), claimTask, { id: '1' })
    await execute(session(project, 'S2', { host: 'codex' }), claimTask, { id: '2' })
    for (const path of ['src/a.ts', 'README.md', '/outside/of/it'])
      expect(await hook(project, 'before-edit', edit(path))).toBe('')
    expect(await hook(project, 'before-edit', edit('docs/a.md'))).toContain('codex holds #2')
  })

  it('two sessions of one host are told apart by the id of the session, or not at all', async () => {
    await using project = await projectWithTasks('src/**')
    await execute(session(project, 'S1'), claimTask, { id: '1' })
    await execute(session(project, 'S2'), showBrief, {})
    const other = { session_id: 'S2', ...edit('src/a.ts') }
    expect(await hook(project, 'before-edit', other)).toContain('claude-code holds #1')
    expect(await hook(project, 'before-edit', { ...other, session_id: 'S1' })).toBe('')
    expect(await hook(project, 'before-edit', { ...other, session_id: 'unknown' })).toBe('')
  })

  it('hidden characters in a title arrive in a visible form', async () => {
    await using project = await setup({ clock: Date.now })
    await execute(project.context, createTask, { title: 'a\u202Eb\u{E0041}', locks: ['x.ts'] })
    await execute(session(project, 'S1', { host: 'codex' }), claimTask, { id: '1' })
    const out = await hook(project, 'before-edit', edit('x.ts'))
    expect(out).toContain('#1')
    expect(out).not.toMatch(/[\u202E\u{E0041}]/u)
  })
})

it('an edit extends the lease once a minute, and its file is remembered once [hook-edit-is-a-sign-of-life]', async () => {
  await using project = await projectWithTasks('src/**')
  const agent = session(project, 'S1')
  await execute(agent, claimTask, { id: '1', seconds: 120 })
  const before = await leaseOf(agent, '1')
  for (const path of ['src/a.ts', 'src/a.ts', 'src/b.ts'])
    expect(await hook(project, 'after-edit', edit(path))).toBe('')
  const after = await leaseOf(agent, '1')
  expect(
    Date.parse(after?.expires_at ?? '') - Date.parse(before?.expires_at ?? ''),
  ).toBeGreaterThan(10 * MINUTE)
  const edited = (await typesOf(project)).filter((type) => type === 'agent.edited')
  expect(edited).toHaveLength(2)
  const { changes } = await execute(project.as('bo'), showBrief, {})
  expect(changes.filter(({ what }) => what.startsWith('agent'))).toEqual([])
})

it('a prompt brings unread messages and answers, and nothing when there are none [hook-prompt-brings-messages]', async () => {
  await using project = await projectWithTasks()
  const agent = session(project, 'S1')
  await execute(agent, showBrief, {})
  expect(await hook(project, 'prompt', { prompt: 'go on' })).toBe('')
  const question = await execute(agent, sendMessage, { to: 'owner', body: 'Which port?' })
  await execute(project.as('bo'), sendMessage, { to: 'claude-code', body: 'The\nparser is yours' })
  const owner = project.as('', { agent: { name: 'kim', surface: 'cli', assumed: true } })
  await execute(owner, answerQuestion, { question: `m${question.message.id}`, body: 'Port 7777' })
  const out = await hook(project, 'prompt', { prompt: 'go on' })
  expect(out).toMatch(/^Waymark: 2 unread messages/)
  expect(out).toMatch(/- from bo: .*The parser is yours/)
  expect(out).toMatch(/- answer of the owner: .*Port 7777/)
  expect(await hook(project, 'prompt', { prompt: '' })).toBe('')
})

describe('at a stop', () => {
  it('an agent that holds a task is reminded once, then may stop [hook-stop-reminds-once]', async () => {
    await using project = await projectWithTasks('src/**')
    const agent = session(project, 'S1')
    expect(await hook(project, 'stop')).toBe('')
    await execute(agent, claimTask, { id: '1' })
    await hook(project, 'after-edit', edit('src/a.ts'))
    expect(await hook(project, 'stop', { stop_hook_active: true })).toBe('')
    const { decision, reason } = JSON.parse(
      await hook(project, 'stop', { stop_hook_active: false }),
    )
    expect(decision).toBe('block')
    expect(reason).toMatch(/^You still hold #1 .*complete it, release it/)
    expect(reason).toContain('src/a.ts')
    expect(await hook(project, 'stop', { stop_hook_active: false })).toBe('')
  })

  it('an agent that has completed its task is not', async () => {
    await using project = await projectWithTasks('src/**')
    const agent = session(project, 'S1')
    await execute(agent, claimTask, { id: '1' })
    await execute(agent, completeTask, { id: '1' })
    expect(await hook(project, 'stop')).toBe('')
  })
})

describe('at the end of a session', () => {
  it('its tasks are free soon, and a resumed session goes on with them [hook-end-gives-back]', async () => {
    await using project = await projectWithTasks('src/**')
    const agent = session(project, 'S1')
    await execute(agent, claimTask, { id: '1' })
    expect(await hook(project, 'session-end', { session_id: 'S1', reason: 'other' })).toBe('')
    const { agents } = await execute(project.context, listAgents, { include_offline: true })
    expect(agents).toMatchObject([{ name: 'claude-code', presence: 'offline' }])
    const left = Date.parse((await leaseOf(project.context, '1'))?.expires_at ?? '') - Date.now()
    expect(left).toBeGreaterThan(MINUTE)
    expect(left).toBeLessThanOrEqual(2 * MINUTE)
    expect(await hook(project, 'session-start', { session_id: 'S1', source: 'resume' })).toContain(
      '#1',
    )
    const resumed = session(project, 'S2')
    await execute(resumed, completeTask, { id: '1' })
    expect(await execute(resumed, getTask, { id: '1' })).toMatchObject({ status: 'done' })
  })

  it('a cleared context ends nothing', async () => {
    await using project = await projectWithTasks('src/**')
    const agent = session(project, 'S1')
    await execute(agent, claimTask, { id: '1' })
    await hook(project, 'session-end', { reason: 'clear' })
    expect(await typesOf(project)).not.toContain('agent.left')
    const out = await hook(project, 'session-start', { source: 'clear' })
    expect(out).toContain('#1 Rework')
  })
})

it('the brief of a session that begins is not that of another session that runs', async () => {
  await using project = await projectWithTasks('src/**')
  await execute(session(project, 'S1'), claimTask, { id: '1' })
  const out = await hook(project, 'session-start', { source: 'startup' })
  expect(out).toMatch(/^Waymark, the shared memory/)
  expect(out).not.toContain('You hold')
  const gone = toProcessName(spawnSync(process.execPath, ['--version']).pid, '1')
  await execute(session(project, 'S9', { host: 'codex', process: gone }), showBrief, {})
  const codex = JSON.parse(await hook(project, 'session-start', { host: 'codex' }))
  expect(codex.hookSpecificOutput.hookEventName).toBe('SessionStart')
})

it('a session that begins is no agent until it calls a tool, and never one beside itself [hook-no-ghost]', async () => {
  await using project = await projectWithTasks('src/**')
  await hook(project, 'session-start', { host: 'cline', taskId: 'conv_1' })
  expect((await execute(project.context, listAgents, {})).agents).toEqual([])
  const started = session(project, 'S1', { host: 'cline' })
  expect((await execute(started, showBrief, {})).agents).toBeUndefined()
  expect((await execute(project.context, listAgents, {})).agents).toHaveLength(1)
})

it('the agent of commands is known by its host', async () => {
  await using project = await projectWithTasks('src/**')
  const cli = project.as('codex-cli', {
    agent: { name: 'codex-cli', surface: 'cli', host: 'codex' },
  })
  await execute(cli, joinAgent, {})
  await execute(cli, claimTask, { id: '1' })
  expect(await hook(project, 'stop', { host: 'codex' })).toContain('You still hold #1')
})

describe('two sessions of a host that names them to its servers', () => {
  async function serve(project: Setup, host: string, id: string) {
    const [name, variable] = SERVERS[host] ?? ['', '']
    const server = { hostEnv: { [variable]: id } }
    return await connect('waymark', { project, clientInfo: { name, version: '1' }, server })
  }

  const SERVERS: Readonly<Record<string, readonly [string, string]>> = {
    'claude-code': ['claude-code', 'CLAUDE_CODE_SESSION_ID'],
    copilot: ['copilot-cli', 'COPILOT_AGENT_SESSION_ID'],
    qwen: ['qwen-cli-mcp-client-waymark', 'QWEN_CODE_SESSION_ID'],
  }

  it('are told apart by that name, which servers and hooks get [hook-knows-session]', async () => {
    for (const host of Object.keys(SERVERS)) {
      await using project = await projectWithTasks('src/**', 'docs/**')
      await using one = await serve(project, host, 'one')
      await one.result('task_next', { id: '1' })
      await using two = await serve(project, host, 'two')
      await two.result('task_next', { id: '2' })
      const editor = { tool_name: 'edit', tool_input: { file_path: 'src/a.ts' } }
      const claude = host === 'claude-code' ? edit('src/a.ts') : editor
      const as = (session_id: string) => ({ host, session_id, ...claude })
      expect(await hook(project, 'before-edit', as('two')), host).toContain('src/a.ts is reserved')
      expect(await hook(project, 'before-edit', as('one')), host).toBe('')
      expect(await hook(project, 'stop', as('two')), host).toContain('You still hold #2')
      await hook(project, 'session-end', as('two'))
      const { agents } = await execute(project.context, listAgents, { include_offline: true })
      expect(agents.map(({ presence }) => presence).toSorted(), host).toEqual(['active', 'offline'])
    }
  })

  it('a session that never called does not act for another [hook-silent-session]', async () => {
    for (const host of Object.keys(SERVERS)) {
      await using project = await projectWithTasks('src/**')
      await using one = await serve(project, host, 'one')
      await one.result('task_next', { id: '1' })
      const before = await leaseOf(project.context, '1')
      await hook(project, 'session-end', { host, session_id: 'other', reason: 'exit' })
      expect(await leaseOf(project.context, '1'), host).toEqual(before)
      expect(await typesOf(project), host).not.toContain('agent.left')
      // A server of Claude Code keeps the id that its session had before it was resumed or cleared.
      const stop = await hook(project, 'stop', { host, session_id: 'other' })
      expect(stop !== '', host).toBe(host === 'claude-code')
    }
  })
})

describe('a hook never gets in the way', () => {
  it('it does not wait for another process that writes [hook-does-not-wait]', async () => {
    await using project = await projectWithTasks('src/**')
    await execute(session(project, 'S1'), claimTask, { id: '1', seconds: 120 })
    const { DatabaseSync } = loadSqlite()
    const other = new DatabaseSync(join(project.directory, '.git/waymark/waymark.db'))
    other.exec('BEGIN IMMEDIATE')
    const start = performance.now()
    const own = { session_id: 'S1' }
    expect(await hook(project, 'after-edit', { ...own, ...edit('src/a.ts') })).toBe('')
    expect(await hook(project, 'stop', own)).toContain('You still hold #1')
    expect(await hook(project, 'session-end', own)).toBe('')
    expect(performance.now() - start).toBeLessThan(6000)
    other.close()
  })

  it('outside a project and with any input it prints nothing [hook-silent-outside]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-test-'))
    for (const stdin of ['', '{', 'null', '[]', '"x"', '{"cwd":"/nowhere"}', '\uFEFF{}']) {
      const terminal = createTestTerminal(folder, { stdin })
      await runHook('stop', 'claude-code', terminal)
      expect(terminal.output).toEqual({ out: '', err: '' })
    }
    rmSync(folder, { recursive: true })
  })

  it('input that does not end, or is too large, is not waited for', async () => {
    await using project = await projectWithTasks('src/**')
    const endless = async function* () {
      yield Buffer.from('{"cwd":')
      await new Promise(() => {})
    }
    const large = async function* () {
      for (;;) yield Buffer.alloc(4 * 1024 * 1024, ' ')
    }
    for (const readBytes of [endless, large]) {
      const terminal = createTestTerminal(project.directory, { readBytes })
      await runHook('before-edit', 'claude-code', terminal)
      expect(terminal.output).toEqual({ out: '', err: '' })
    }
  })

  it('a host that is not known is named to a person, with success', async () => {
    await using project = await projectWithTasks()
    const terminal = createTestTerminal(project.directory)
    await runHook('stop', 'nope', terminal)
    await runHook('stop', 'constructor', terminal)
    expect(terminal.output.out).toBe('')
    expect(terminal.output.err).toContain('--host must be one of claude-code, codex, gemini')
  })

  it('a host that borrows the hooks of Claude Code has its own', async () => {
    await using project = await projectWithTasks('src/**')
    await execute(session(project, 'S1', { host: 'copilot' }), claimTask, { id: '1' })
    const stdin = JSON.stringify({ cwd: project.directory, ...edit('src/a.ts') })
    const env = { COPILOT_CLI: '1' }
    const terminal = createTestTerminal(project.directory, { stdin, env })
    await runHook('before-edit', 'claude-code', terminal)
    expect(terminal.output.out).toBe('')
  })

  it('the commands for Git hooks stay', async () => {
    await using project = await projectWithTasks()
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['hook', 'status'], terminal)).toBe(0)
    expect(terminal.output.out).toContain('Not installed')
    const help = createTestTerminal(project.directory)
    await runCli(['hook', '--help'], help)
    expect(help.output.out).toContain('before-edit')
    const hooked = createTestTerminal(project.directory, { stdin: '{}' })
    expect(await runCli(['hook', 'session-start', '--host', 'cursor'], hooked)).toBe(0)
    expect(JSON.parse(hooked.output.out)).toHaveProperty('additional_context')
  })

  it('a wrong command line is no refusal [hook-wrong-command-line]', async () => {
    await using project = await projectWithTasks()
    for (const args of [[], ['--host'], ['--hots', 'codex'], ['--host', 'codex', 'more']]) {
      const terminal = createTestTerminal(project.directory, { stdin: '{}' })
      expect(await runCli(['hook', 'stop', ...args], terminal), args.join(' ')).toBe(0)
      expect(terminal.output.out).toBe('')
    }
  })
})
