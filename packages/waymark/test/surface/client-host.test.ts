import { describe, expect, it } from 'vitest'
import { findConversation, findHost } from '../../src/surfaces/mcp/client-host.ts'
import { connect } from '../dialects/client.ts'
import { setupCode } from '../operations/code/code-setup.ts'

/** As the hosts described themselves on the pipe. */
const CLIENTS = [
  [{ name: 'claude-code', title: 'Claude Code', version: '2.1.325' }, 'claude-code', 'structured'],
  [{ name: 'claude-code', version: '2.1.197' }, 'claude-code', 'structured'],
  [{ name: 'codex-mcp-client', title: 'Codex', version: '0.166.0' }, 'codex', 'structured'],
  [{ name: 'gemini-cli-mcp-client', version: '0.61.0' }, 'gemini', 'text'],
  [{ name: 'opencode', version: '1.18.33' }, 'opencode', 'text'],
  [{ name: 'copilot-cli', version: '1.0.102' }, 'copilot', 'both'],
  [{ name: 'qwen-cli-mcp-client-waymark', version: '0.0.1' }, 'qwen', 'both'],
  [{ name: '@cline/core', version: '0.0.0' }, 'cline', 'both'],
  [{ name: 'continue-cli-client', version: '1.0.0' }, 'continue', 'text'],
] as const

describe('a host', () => {
  it('is known by the name or the title of its client [host-by-client]', () => {
    for (const [client, name, passesOn] of CLIENTS) {
      expect(findHost(client), client.name).toMatchObject({ name, passesOn })
    }
    expect(findHost({ name: 'unheard-of', title: 'Codex', version: '1' })?.name).toBe('codex')
    for (const name of ['mcp-remote', 'codex-of-mine', 'inspector', 'my claude-code', '']) {
      expect(findHost({ name, version: '1' }), name).toBeUndefined()
    }
    expect(findHost(undefined)).toBeUndefined()
  })

  it('gets the text alone, of answers and of errors; an unknown client gets both [host-one-answer]', async () => {
    await using unknown = await connect('waymark')
    const { project } = unknown
    const steps = [
      ['task_create', { tasks: [{ title: 'Lay the floor' }] }],
      ['task_get', { ids: ['1'] }],
      ['task_get', { ids: ['99'] }],
      ['recall', {}],
    ] as const
    for (const [tool, args] of steps) {
      const both = await unknown.result(tool, args)
      expect(both, tool).toMatchObject({ content: [{ type: 'text' }], structuredContent: {} })
    }
    for (const [clientInfo] of CLIENTS) {
      await using host = await connect('waymark', { project, clientInfo })
      for (const [tool, args] of steps.slice(1)) {
        const { content, structuredContent, isError } = await host.result(tool, args)
        const both = await unknown.result(tool, args)
        expect({ content, isError }).toEqual({ content: both.content, isError: both.isError })
        expect(structuredContent).toBeUndefined()
      }
    }
  })

  it('gets structured content where the tool promises it [host-output-schema]', async () => {
    const clientInfo = { name: 'codex-mcp-client', version: '0.166.0' }
    for (const [dialect, tool] of [
      ['tasky', 'search_tasks'],
      ['lodestar', 'lodestar.task.list'],
      ['medulla', 'entity_list'],
    ] as const) {
      await using client = await connect(dialect, { clientInfo })
      const { content, structuredContent } = await client.result(tool)
      expect(JSON.parse(content[0]?.text ?? ''), dialect).toEqual(structuredContent)
    }
  })

  it('may send the parameters that it adds to every tool; others are refused [host-parameters]', async () => {
    const gemini = { name: 'gemini-cli-mcp-client', version: '0.61.0' }
    const calls = [
      ['waymark', 'recall', { query: 'x' }],
      ['waymark', 'task_update', { ids: ['1'], due_date: '2026-12-01' }],
      ['medulla', 'search_fulltext', { query: 'x' }],
      ['lodestar', 'lodestar.task.list', {}],
      ['tasky', 'search_tasks', {}],
    ] as const
    for (const [dialect, tool, args] of calls) {
      await using host = await connect(dialect, { clientInfo: gemini })
      if (tool === 'task_update') await host.result('task_create', { tasks: [{ title: 'A' }] })
      const sent = await host.result(tool, { ...args, wait_for_previous: true })
      expect(sent.isError, `${dialect} ${tool}`).not.toBe(true)
      await expectRefused(host, tool, { ...args, wait_for_next: true })
      await using other = await connect(dialect)
      await expectRefused(other, tool, { ...args, wait_for_previous: true })
    }
  })
})

async function expectRefused(
  client: Awaited<ReturnType<typeof connect>>,
  name: string,
  args: Record<string, unknown>,
): Promise<void> {
  const answer = await client.request('tools/call', { name, arguments: args })
  expect(JSON.stringify(answer)).toMatch(/wait_for_\w+: is /)
}

it('no answer has an empty text [no-empty-text]', async () => {
  await using client = await connect('waymark')
  for (const [tool, args, text] of [
    ['task_get', { text: 'zzz' }, 'no task matches'],
    ['task_get', { blocked: true }, 'nothing is blocked'],
    ['task_next', {}, 'nothing is ready'],
  ] as const) {
    expect((await client.result(tool, args)).content, tool).toEqual([{ type: 'text', text }])
  }
})

describe('a conversation', () => {
  const CODEX = { name: 'codex-mcp-client', title: 'Codex', version: '0.166.0' }

  it('is named by what its host sends or sets, and by nothing of another host [host-conversation]', () => {
    const id = '0199a213-81c0-7800-8aa1-bbab2a035a53'
    const claude = findHost({ name: 'claude-code', version: '2.1.325' })
    const codex = findHost(CODEX)
    const byThread = findConversation(codex, { threadId: id, sessionId: 'other' })
    expect(byThread).toMatch(/^H[0-9a-f]{32}$/)
    expect(findConversation(codex, { threadId: id })).toBe(byThread)
    expect(findConversation(codex, { sessionId: id })).toBe(byThread)
    for (const [name, variable] of [
      ['claude-code', 'CLAUDE_CODE_SESSION_ID'],
      ['copilot-cli', 'COPILOT_AGENT_SESSION_ID'],
      ['qwen-cli-mcp-client-waymark', 'QWEN_CODE_SESSION_ID'],
    ] as const) {
      const host = findHost({ name, version: '1' })
      expect(findConversation(host, {}, { [variable]: id }), name).toMatch(/^H/)
      expect(findConversation(host, {}, { [variable]: ' ' }), name).toBeUndefined()
      expect(findConversation(codex, {}, { [variable]: id }), name).toBeUndefined()
    }
    // Claude Code's id is its own, though the same text names a thread of Codex.
    const env = { CLAUDE_CODE_SESSION_ID: id }
    expect(findConversation(claude, { threadId: 'x' }, env)).not.toBe(byThread)
    for (const threadId of [7, '', {}, 'x'.repeat(501)]) {
      expect(findConversation(codex, { threadId })).toBeUndefined()
    }
    expect(findConversation(undefined, { threadId: id }, env)).toBeUndefined()
  })

  it('that is resumed in another process completes its task with its fence [host-resumed]', async () => {
    const thread = { threadId: '0199a213-81c0-7800-8aa1-bbab2a035a53' }
    await using first = await connect('waymark', { clientInfo: CODEX })
    const { project } = first
    await first.result('task_create', { tasks: [{ title: 'A' }, { title: 'B' }] }, thread)
    await first.result('task_next', { id: '1' }, thread)
    // Another process knows nothing of the sessions of this one.
    project.context.store.sessionAgents.delete(findConversation(findHost(CODEX), thread) ?? '')
    await using second = await connect('waymark', { project, clientInfo: CODEX })
    const other = await second.result('task_update', { ids: ['1'], action: 'complete', fence: 1 })
    expect(other.isError).toBe(true)
    const brief = await second.result('brief', {}, thread)
    expect(brief.content[0]?.text).toContain('#1 A · by codex · fence 1')
    const done = { ids: ['1'], action: 'complete', fence: 1 }
    const { content } = await second.result('task_update', done, thread)
    expect(content[0]?.text).toContain('#1 done')
  })

  it('is not shown what another thread of its process has reserved as its own [host-second-thread]', async () => {
    await using project = await setupCode()
    project.commit('Add', { 'src/a.ts': 'export const a = 1\n' })
    const { code } = project.context
    const server = { ...(code && { code }) }
    await using client = await connect('waymark', { project, clientInfo: CODEX, server })
    const [first, second] = [{ threadId: 'one' }, { threadId: 'two' }]
    const task = { title: 'A', locks: ['src/**'] }
    await client.result('task_create', { tasks: [task] }, first)
    await client.result('task_next', { id: '1' }, first)
    const own = await client.result('code_why', { path: 'src/a.ts' }, first)
    expect(own.content[0]?.text).not.toContain('reserved')
    const other = await client.result('code_why', { path: 'src/a.ts' }, second)
    expect(other.content[0]?.text).toContain('reserved by codex')
  })
})
