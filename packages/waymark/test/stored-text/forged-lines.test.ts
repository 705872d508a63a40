import type { GetPromptResult, Prompt, Resource, Tool } from '@waymark/baton'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { listArtifacts } from '../../src/artifact/operations.ts'
import { startJobOperation } from '../../src/job/operations.ts'
import { allOperations } from '../../src/registry.ts'
import { print } from '../../src/surfaces/terminal/print.ts'
import { setupCode, type CodeSetup } from '../operations/code/code-setup.ts'
import { connect, type DialectClient } from '../dialects/client.ts'
import { isSample } from '../level.ts'
import { forgedLines, hiddenIn, makeInjections } from './injections.ts'
import { FILE, poison } from './poisoned-project.ts'

/** A report tries 2,000. */
const INJECTIONS = Number(process.env['WAYMARK_INJECTIONS'] ?? (isSample ? 60 : 200))

const WHOLE = { max_tokens: 20_000 }

type Calls = readonly (readonly [tool: string, args: Record<string, unknown>])[]

/** Every tool that only reads, with arguments that make it tell as much as it can; `id` stands for every entity. */
const READERS: Readonly<Record<string, Calls>> = {
  waymark: [
    ['brief', { paths: [FILE], topic: 'plain', max_tokens: 8000 }],
    ['recall', { query: 'plain', limit: 100, ...WHOLE }],
    ['recall', { query: 'forged', limit: 100, ...WHOLE }],
    ['recall', { id: '{id}', ...WHOLE }],
    ['recall', { id: 'message 1', ...WHOLE }],
    ['task_get', { limit: 100, ...WHOLE }],
    ['task_get', { blocked: true, ...WHOLE }],
    ['task_get', { statuses: ['done'], ...WHOLE }],
    ['task_get', { ids: ['{task}'], ...WHOLE }],
    ['inbox', { all: true, limit: 100, ...WHOLE }],
    ['code_why', { path: FILE, ...WHOLE }],
    ['events', { since: 0, limit: 100, ...WHOLE }],
    ['task_next', { limit: 50, ...WHOLE }],
    ['graph_around', { id: '{id}', ...WHOLE }],
    ['graph_path', { from: '1', to: '{id}' }],
    ['graph_impact', { id: '{id}', ...WHOLE }],
    ['graph_orphans', WHOLE],
    ['graph_cycles', WHOLE],
    ['graph_list', { limit: 100, ...WHOLE }],
    ['graph_export', { format: 'mermaid', ...WHOLE }],
    ['graph_export', { format: 'dot', ...WHOLE }],
    ['graph_export', { format: 'json', ...WHOLE }],
    ['relation_list', { id: '{id}', ...WHOLE }],
    ['entity_get', { id: '{id}', ...WHOLE }],
    ['entity_list', { limit: 100, ...WHOLE }],
    ['entity_history', { id: '{id}', ...WHOLE }],
    ['prompt_list', WHOLE],
    ['prompt_render', { name: 'project_summary', ...WHOLE }],
    ['code_deps', { path: FILE, anchor: 'parse', ...WHOLE }],
    ['code_history', { path: FILE, anchor: 'parse', ...WHOLE }],
    ['code_summary', { path: FILE, ...WHOLE }],
    ['code_verify', WHOLE],
    ['task_check_edit', { path: FILE, ...WHOLE }],
    ['artifact_list', { limit: 100, ...WHOLE }],
    ['artifact_read', { id: '{artifact}', ...WHOLE }],
    ['agent_list', WHOLE],
    ['project_status', WHOLE],
    ['project_stats', WHOLE],
    ['project_schema', WHOLE],
  ],
  medulla: [
    ['ping', {}],
    ['entity_get', { id: '{id}' }],
    ['entity_list', { limit: 100 }],
    ['graph_relations', { id: '{id}' }],
    ['graph_path', { from_id: '1', to_id: '{id}' }],
    ['graph_orphans', { limit: 100 }],
    ['search_fulltext', { query: 'plain', limit: 100 }],
    ['search_semantic', { query: 'plain', limit: 100 }],
    ['search_query', { query: 'plain', limit: 100 }],
    ['task_ready', { limit: 100 }],
    ['task_blocked', {}],
    ['task_next', {}],
  ],
  lodestar: [
    ['lodestar.repo.status', {}],
    ['lodestar.task.list', { limit: 200 }],
    ['lodestar.task.get', { taskId: '{task}' }],
    ['lodestar.task.next', { limit: 20 }],
    ['lodestar.task.context', { taskId: '{task}', maxChars: 5000 }],
    ['lodestar.message.list', { agentId: '{agent}', limit: 100 }],
    ['lodestar.events.pull', { sinceCursor: 0, limit: 200 }],
  ],
  tasky: [
    ['project_info', {}],
    ['search_tasks', { limit: 200 }],
    ['get_tasks', { task_ids: ['{task}'] }],
  ],
  ultragit: [
    ['ultragit_read', { path: FILE, max_tokens: 20_000 }],
    ['ultragit_deps', { path: FILE, anchor: 'parse' }],
    ['ultragit_history', { path: FILE, anchor: 'parse' }],
    ['ultragit_summary', { path: FILE }],
  ],
}

/** What people read on a terminal: every operation that only reads, with its input. */
const COMMANDS: Calls = [
  ['entity.get', { id: '{id}' }],
  ['entity.list', { limit: 100 }],
  ['entity.history', { id: '{id}', full: true }],
  ['relation.list', { id: '{id}' }],
  ['code.status', {}],
  ['code.deps', { path: FILE, anchor: 'parse' }],
  ['code.history', { path: FILE, anchor: 'parse' }],
  ['code.export', {}],
  ['code.read', { path: FILE }],
  ['code.show', { path: FILE }],
  ['code.context_show', {}],
  ['code.hooks', {}],
  ['code.summary', { path: FILE }],
  ['code.verify', {}],
  ['code.why', { path: FILE }],
  ['brief.show', { paths: [FILE], max_tokens: 8000 }],
  ['status.show', {}],
  ['graph.cycles', {}],
  ['graph.orphans', { limit: 100 }],
  ['graph.impact', { id: '{id}' }],
  ['graph.around', { id: '{id}' }],
  ['graph.path', { from: '1', to: '{id}' }],
  ['graph.export', { format: 'mermaid' }],
  ['graph.export', { format: 'dot' }],
  ['graph.list', { limit: 100 }],
  ['cache.stats', {}],
  ['hook.status', {}],
  ['prompt.list', {}],
  ['prompt.render', { name: 'project_summary' }],
  ['search.semantic', { query: 'plain', limit: 100 }],
  ['search.query', { query: 'plain', limit: 100 }],
  ['search.text', { query: 'plain', limit: 100 }],
  ['search.context', { topic: 'plain' }],
  ['task.blocked', {}],
  ['task.next', {}],
  ['task.ready', {}],
  ['task.list', {}],
  ['task.get', { id: '{task}' }],
  ['task.get_many', { ids: ['{task}'] }],
  ['task.check_edit', { path: FILE }],
  ['task.context', { id: '{task}' }],
  ['task.explain', { id: '{task}' }],
  ['project.status', {}],
  ['project.ping', {}],
  ['project.schema', {}],
  ['project.stats', {}],
  ['spec.export', {}],
  ['agent.list', {}],
  ['message.list', { unread_only: false, limit: 100, agent_id: '{agent}' }],
  ['message.search', { text: 'plain', agent_id: '{agent}' }],
  ['message.get', { id: 1 }],
  ['message.thread', { task: '{task}' }],
  ['event.list', { since: 0, limit: 100 }],
  ['event.wait', { since: 0, seconds: 0 }],
  ['artifact.list', { limit: 100 }],
  ['artifact.show', { id: '{artifact}' }],
  ['artifact.lineage', { id: '{artifact}' }],
  ['artifact.stats', {}],
  ['board.show', {}],
  ['code.drift', { path: FILE, anchor: 'parse' }],
  ['code.tree', {}],
  ['entity.tags', {}],
  ['event.counts', {}],
  ['graph.show', {}],
  ['health.check', {}],
  ['health.show', {}],
  ['insight.show', {}],
  ['job.list', {}],
  ['job.show', { id: 1 }],
  ['job.show', { id: 2 }],
  ['lane.list', {}],
  ['message.inbox', {}],
  ['project.list', {}],
  ['project.me', {}],
  ['replica.read', {}],
  ['task.board', {}],
  ['task.reserved', {}],
  ['task.tree', {}],
  ['task.tree', { id: '{task}' }],
]

/** Texts that consist of nothing but what somebody has stored. */
const WHOLLY_FOREIGN = new Set(['artifact.read'])

const STYLES = [
  { columns: 80, colors: false, interactive: true, now: Date.now },
  { columns: 80, colors: false, interactive: false, now: Date.now },
] as const

describe(`of ${INJECTIONS} injections none becomes a line of ours [forged-lines-injections-none]`, () => {
  const injections = makeInjections(INJECTIONS)
  let project: CodeSetup
  let names: Names

  beforeAll(async () => {
    project = await setupCode()
    await poison(
      project,
      injections.map(({ text }) => text),
    )
    names = await namesIn(project)
  })
  afterAll(async () => await project[Symbol.asyncDispose]())

  /** What is wrong with a text in which stored texts stand between lines of ours. */
  const problemsIn = (place: string, text: string, indented = false): readonly string[] => {
    const hidden = hiddenIn(text)
    return [
      ...forgedLines(text, injections, indented).map((line) => `${place}: ${line}`),
      ...(hidden === undefined ? [] : [`${place}: U+${hidden.codePointAt(0)?.toString(16)}`]),
    ]
  }

  it.each(Object.entries(READERS))(
    'whatever tool of %s reads it',
    async (dialect, calls) => {
      await using client = await connectAll(dialect, project)
      expect(calls.map(([tool]) => tool)).toEqual(
        expect.arrayContaining([...(await readOnlyTools(client))]),
      )
      const problems: string[] = []
      let read = 0
      for (const [tool, args] of calls.flatMap((call) => forEach(call, names))) {
        const { content, structuredContent, isError } = await client.result(tool, args)
        const text = content.map((block) => block.text).join('\n')
        read += (text.match(/forged\d+x/g) ?? []).length
        problems.push(...problemsIn(tool, text))
        if (isError === true) problems.push(`${tool} ${JSON.stringify(args)}: ${text}`)
        if (text.startsWith('{') && structuredContent !== undefined) {
          expect(JSON.parse(text)).toEqual(structuredContent)
        }
      }
      expect(problems).toEqual([])
      expect(read).toBeGreaterThan(0)
    },
    300_000,
  )

  it.each(['waymark', 'medulla', 'lodestar'])(
    'whatever resource or prompt of %s shows it',
    async (dialect) => {
      await using client = await connectAll(dialect, project)
      const problems: string[] = []
      const read = await readAll(client, names)
      for (const [uri, text] of read) {
        problems.push(...problemsIn(uri, text, true))
        if (text.startsWith('{')) JSON.parse(text)
      }
      for (const [name, text] of await renderAll(client, names)) {
        const isStored = STORED_PROMPT.test(name)
        if (!isStored) problems.push(...problemsIn(name, text))
        if (hiddenIn(text) !== undefined) problems.push(`${name}: hides something`)
      }
      expect(problems).toEqual([])
      expect(read.size).toBeGreaterThan(1)
    },
    300_000,
  )

  it('whatever command prints it', async () => {
    const known = (await allOperations()).filter(({ effect }) => effect === 'read')
    const tried = new Set([...COMMANDS.map(([name]) => name), ...WHOLLY_FOREIGN])
    expect(known.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([])
    for (const kind of ['verify', 'check'])
      await execute(project.context, startJobOperation, { kind })
    const problems: string[] = []
    for (const [name, input] of COMMANDS.flatMap((call) => forEach(call, names))) {
      const operation = known.find((each) => each.name === name)
      if (operation === undefined) throw new Error(`there is no operation ${name}`)
      const output = await execute(project.as('reader', { agent: READER }), operation, input)
      for (const style of STYLES) {
        problems.push(...problemsIn(name, await print(operation.show(output), style), true))
      }
    }
    expect(problems).toEqual([])
  })
})

const READER = { name: 'reader', surface: 'cli' } as const

/** A stored prompt is what somebody has asked for by its name, all of it. */
const STORED_PROMPT = /^plain/

async function readAll(client: DialectClient, names: Names): Promise<ReadonlyMap<string, string>> {
  const { result: listed } = await client.request('resources/list')
  const { resources } = listed as { resources: Resource[] }
  const schemes = new Set(resources.map(({ uri }) => uri.slice(0, uri.indexOf(':'))))
  const uris = [
    ...resources.map(({ uri }) => uri),
    ...names.id.map((id) => `medulla://entity/${id}`),
    ...names.task.map((id) => `lodestar://task/${id}`),
    'medulla://context/plain',
    'medulla://entities?limit=100',
    'medulla://graph?limit=100',
  ].filter((uri) => schemes.has(uri.slice(0, uri.indexOf(':'))))
  const read = new Map<string, string>()
  for (const uri of uris) {
    const { result, error } = await client.request('resources/read', { uri })
    if (result === undefined) throw new Error(`${uri}: ${JSON.stringify(error)}`)
    const { contents } = result as { contents: { text: string }[] }
    read.set(uri, contents[0]?.text ?? '')
  }
  return read
}

async function renderAll(
  client: DialectClient,
  names: Names,
): Promise<readonly [string, string][]> {
  const { result: listed } = await client.request('prompts/list')
  const { prompts = [] } = (listed ?? {}) as { prompts?: Prompt[] }
  const rendered: [string, string][] = []
  for (const { name, arguments: given = [] } of prompts) {
    const values = Object.fromEntries(given.map((each) => [each.name, names.task[0] ?? '']))
    const { result } = await client.request('prompts/get', { name, arguments: values })
    const { messages } = result as unknown as GetPromptResult
    const texts = messages.map(({ content }) => (content.type === 'text' ? content.text : ''))
    rendered.push([name, texts.join('\n')])
  }
  return rendered
}

interface Names {
  readonly id: readonly string[]
  readonly task: readonly string[]
  readonly artifact: readonly string[]
  readonly agent: readonly string[]
}

async function connectAll(dialect: string, project: CodeSetup): Promise<DialectClient> {
  const dialects = await loadDialects(dialect, { toolsets: 'all' })
  const { code } = project.context
  const server = { dialects, ...(code !== undefined && { code }) }
  return await connect(dialect, { project, server })
}

async function readOnlyTools(client: DialectClient): Promise<readonly string[]> {
  const { tools } = (await client.request('tools/list')).result as { tools: Tool[] }
  return tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
}

async function namesIn(project: CodeSetup): Promise<Names> {
  const { context } = project
  const reader = await execute(project.as('reader'), joinAgent, {})
  const entities = await context.store.entities.after(0, 10_000)
  const { artifacts } = await execute(context, listArtifacts, { limit: 200 })
  return {
    id: entities.map(({ number }) => String(number)),
    task: entities.filter(({ type }) => type === 'task').map(({ number }) => String(number)),
    artifact: artifacts.map(({ id }) => id),
    agent: [reader.agent.id],
  }
}

/** The call once, or once for each thing that it can be about. */
function forEach([tool, args]: Calls[number], names: Names): Calls {
  const spelt = JSON.stringify(args)
  const kind = (['id', 'task', 'artifact', 'agent'] as const).find((each) =>
    spelt.includes(`{${each}}`),
  )
  if (kind === undefined) return [[tool, args]]
  return names[kind].map((name) => [
    tool,
    JSON.parse(spelt.replace(`{${kind}}`, name)) as Record<string, unknown>,
  ])
}
