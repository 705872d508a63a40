import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { conversationOf } from '../../src/agent/session/conversation.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { parseCall } from '../../src/hook/host/call.ts'
import { HOOK_HOSTS } from '../../src/hook/host/hosts.ts'
import { runHook } from '../../src/surfaces/hook/run-hook.ts'
import { findConversation, findHost } from '../../src/surfaces/mcp/client-host.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { connect } from '../dialects/client.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { RECORDED, REPOSITORY, type Recorded } from './recordings.ts'

const HOOKED = RECORDED.filter(({ host }) => HOOK_HOSTS[host] !== undefined)

/** Events that we install and that no host sent in the lab: their forms are those of the documentation. */
const NOT_SENT: Readonly<Record<string, readonly string[]>> = {
  // It ends without a word when it runs unattended.
  qwen: ['session-end'],
  cline: ['prompt', 'before-compaction'],
  opencode: ['session-end', 'before-compaction'],
  kilo: ['session-end', 'before-compaction'],
}

function callsOf({ host: name, hooks }: Recorded) {
  const host = HOOK_HOSTS[name]
  if (host === undefined) throw new Error(`no host ${name}`)
  const world = { cwd: '/elsewhere', env: {} }
  return hooks.map(({ event, input }) => parseCall(input, event, host, world))
}

describe.each(HOOKED)('the hooks that $host $version runs', (recorded) => {
  const { host, hooks } = recorded
  const calls = callsOf(recorded)

  it('are all that it is asked to run, by the names that it knows', () => {
    const events = HOOK_HOSTS[host]?.events ?? {}
    const sent = new Set(hooks.map(({ event }) => event))
    const silent = Object.keys(events).filter((event) => !sent.has(event as keyof typeof events))
    expect(silent).toEqual(NOT_SENT[host] ?? [])
    for (const { event, input } of hooks) {
      const name = input['hook_event_name']
      if (name !== undefined) expect(events[event], event).toContain(name)
    }
  })

  it('name the session, the folder and the edited file [hook-recorded-inputs]', () => {
    expect(calls.every(({ session }) => session !== undefined)).toBe(true)
    expect(new Set(calls.map(({ folder }) => folder))).toEqual(new Set([resolve(REPOSITORY)]))
    const edits = calls.filter(({ event }) => event.endsWith('-edit'))
    const paths = new Set(edits.flatMap((call) => call.paths))
    expect(paths).toEqual(
      new Set(['src/parser.ts', 'src/lexer.ts'].map((file) => resolve(REPOSITORY, file))),
    )
    expect(calls.filter(({ event }) => !event.endsWith('-edit')).flatMap((c) => c.paths)).toEqual(
      [],
    )
  })

  it('end nothing and begin nothing anew while the session goes on', () => {
    expect(calls.filter(({ resumes }) => resumes)).toEqual([])
    const stops = calls.filter(({ event }) => event === 'stop')
    const isAsked = 'stop_hook_active' in (hooks.find(({ event }) => event === 'stop')?.input ?? {})
    expect(stops.slice(0, 2).map(({ isRepeated }) => isRepeated)).toEqual(
      isAsked ? [false, true] : stops.map(() => false),
    )
  })
})

it('each host is kept from editing a reserved file by its own input, and from no other [hook-recorded-edits]', async () => {
  await using project = await setup({ clock: Date.now })
  await execute(project.context, createTask, { title: 'Rework it', locks: ['src/parser.ts'] })
  await execute(project.as('rival'), claimTask, { id: '1' })
  for (const { host, hooks } of HOOKED) {
    const edits = hooks.filter(({ event }) => event === 'before-edit')
    const answers: string[] = []
    for (const { input } of edits) {
      const stdin = JSON.stringify(input).replaceAll(REPOSITORY, project.directory)
      const terminal = createTestTerminal(project.directory, { stdin })
      await runHook('before-edit', host, terminal)
      answers.push(terminal.output.out)
    }
    const refused = answers.filter((answer) => answer !== '')
    expect(refused, host).toHaveLength(1)
    expect(refused[0], host).toContain('src/parser.ts is reserved: rival holds #1')
  }
})

describe.each(RECORDED)('the client of $host $version', (recorded) => {
  const { host: name, server } = recorded
  const { client, calls, variables, ids } = server
  const host = findHost(client)

  it('is known, also to its hooks [host-recorded-clients]', () => {
    expect(host?.name).toBe(name)
    const hooked = HOOK_HOSTS[name]
    if (hooked !== undefined) expect(hooked.clients).toContain(client.name)
  })

  it('sends calls that are all answered [host-recorded-calls]', async () => {
    await using project = await setup()
    for (const title of ['a', 'b', 'c'])
      await execute(project.context, createEntity, { type: 'note', title })
    await using session = await connect('waymark', { project, clientInfo: client })
    for (const { name: tool, arguments: args, _meta } of calls) {
      const { isError, content } = await session.result(tool, args, _meta)
      expect(isError === true ? content : undefined, tool).toBeUndefined()
    }
    const own = host?.ownParameters ?? []
    expect(own.filter((parameter) => !calls.every((each) => parameter in each.arguments))).toEqual(
      [],
    )
  })

  it('names its conversation where we look for it, as its hooks do [host-recorded-conversations]', () => {
    const { meta = [], variable = '' } = host?.session ?? {}
    const named = (
      meta.length === 0
        ? ids.map((env) => findConversation(host, {}, env))
        : calls.map(({ _meta }) => findConversation(host, _meta))
    ).filter((name) => name !== undefined)
    const { namesSession } = HOOK_HOSTS[name] ?? {}
    expect(named.length > 0).toBe(namesSession !== undefined)
    if (variable !== '') expect(variables).toContain(variable)
    if (namesSession === undefined) return
    const [session = ''] = callsOf(recorded).map((call) => call.session)
    const own = conversationOf(name, session)
    // The session was resumed, so a server that has another name was told a new id.
    expect(named.map((one) => one === own)).toEqual(
      namesSession === 'always' ? named.map(() => true) : [true, false],
    )
  })
})
