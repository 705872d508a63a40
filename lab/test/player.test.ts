import { describe, expect, it } from 'vitest'
import type { ModelRequest, OfferedTool, Reply, ToolCall } from '../model/wire.ts'
import { createPlayer, type Player } from '../player.ts'
import { claimIn, firstSession, PLANTED, SECOND_SESSION } from '../story.ts'
import { CLAUDE } from '../hosts/claude.ts'
import { QWEN } from '../hosts/qwen.ts'

const NAMES = ['brief', 'remember', 'recall', 'task_create', 'task_next', 'task_update']
const OWN = ['Read', 'Edit'].map(toTool)
const REPOSITORY = '/r'
const CLAIMED = 'claimed: #4 in_progress\nfence: 1'

function toTool(name: string): OfferedTool {
  return { name, parameters: {} }
}

function request(more: Partial<ModelRequest>): ModelRequest {
  return { model: 'm', isStream: true, tools: [], results: [], ...more }
}

function expectCall(reply: Reply): ToolCall {
  if (reply.kind === 'call') return reply
  throw new Error(`the model ended its turn: ${reply.text}`)
}

/** Runs the loop of a host until the model ends its turn; answers the names and arguments of the calls. */
function runHost(
  player: Player,
  tools: readonly OfferedTool[],
  answer: (call: ToolCall) => string,
) {
  const calls: ToolCall[] = []
  const results: { id: string; text: string }[] = []
  for (;;) {
    const reply = player.model(request({ tools, results: [...results] }), '')
    if (reply.kind === 'text') return calls
    calls.push(reply)
    results.push({ id: reply.id, text: answer(reply) })
  }
}

describe('a model that plays the story', () => {
  it('calls each tool in turn, and completes what it claimed in the next session', () => {
    const player = createPlayer({ host: {}, declared: () => new Map() })
    const tools = [...NAMES.map((name) => toTool(`mcp__waymark__${name}`)), ...OWN]
    player.begin(firstSession(CLAUDE, REPOSITORY))
    const first = runHost(player, tools, ({ tool }) =>
      tool.name.endsWith('task_next') ? CLAIMED : 'fine',
    )
    expect(first.map(({ tool }) => tool.name.replace('mcp__waymark__', ''))).toEqual([
      'brief',
      'remember',
      'recall',
      'task_create',
      'task_next',
      'Read',
      'Edit',
      'Read',
      'Edit',
    ])
    player.begin(SECOND_SESSION)
    const [completion] = runHost(player, tools, () => 'done')
    expect(completion?.args).toMatchObject({ ids: ['4'], action: 'complete', fence: 1 })
    expect(player.outcomes.at(-1)).toEqual({ step: 'complete', text: 'done' })
  })

  it('says what it could not call, and why', () => {
    const player = createPlayer({ host: {}, declared: () => new Map() })
    player.begin([...firstSession(CLAUDE, REPOSITORY), ...SECOND_SESSION])
    runHost(player, OWN, () => 'fine')
    expect(player.outcomes.at(0)).toEqual({ step: 'brief', obstacle: 'brief is not offered' })
    expect(player.outcomes.at(-1)).toEqual({ step: 'complete', obstacle: 'no task was claimed' })
  })

  it('searches for tools that it is not given, and calls them through the host if they stay hidden', () => {
    const player = createPlayer({ host: QWEN, declared: () => new Map() })
    player.begin(firstSession(QWEN, REPOSITORY).slice(0, 2))
    const calls = runHost(player, ['tool_search', 'tool_call'].map(toTool), () => 'fine')
    expect(calls.map(({ tool, args }) => [tool.name, args['name']])).toEqual([
      ['tool_search', undefined],
      ['tool_call', 'mcp__waymark__brief'],
      ['tool_call', 'mcp__waymark__remember'],
    ])
  })

  it('uses a parameter that the host added to a tool', () => {
    const declared = new Map([['recall', new Set(['query'])]])
    const player = createPlayer({ host: {}, declared: () => declared })
    player.begin(firstSession(CLAUDE, REPOSITORY).filter(({ id }) => id === 'recall'))
    const parameters = { query: 'string', wait_for_previous: 'boolean' }
    const tools = [{ name: 'mcp_waymark_recall', parameters }]
    const [call] = runHost(player, tools, () => 'fine')
    expect(call?.args).toEqual({ query: 'sessions', wait_for_previous: true })
  })

  it('answers side requests without losing its place', () => {
    const player = createPlayer({ host: {}, declared: () => new Map() })
    player.begin(firstSession(CLAUDE, REPOSITORY))
    expect(player.model(request({}), 'a title, please').kind).toBe('text')
    const tools = NAMES.map((name) => toTool(`waymark_${name}`))
    const { id } = expectCall(player.model(request({ tools }), `… ${PLANTED} …`))
    expect(player.first).toEqual({ tools: 6, isBriefed: true })
    expect(player.model(request({ tools }), 'asked again while the tool runs').kind).toBe('text')
    const next = expectCall(player.model(request({ tools, results: [{ id, text: 'fine' }] }), ''))
    expect(next.tool.name).toBe('waymark_remember')
  })
})

it('reads number and fence of a claim in every form that hosts pass on', () => {
  const data = JSON.stringify({ claimed: { number: 4, title: 'Write', held_by: 'A1', fence: 1 } })
  for (const text of [CLAIMED, data, JSON.stringify({ content: [{ text: data }] })]) {
    expect(claimIn(text)).toEqual({ number: '4', fence: 1 })
  }
  expect(claimIn('requires approval')).toBeUndefined()
})
