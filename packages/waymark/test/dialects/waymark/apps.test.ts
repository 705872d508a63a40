import { createTestClient } from '@waymark/baton'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import listed from '../../../src/dialects/waymark/tools.generated.json' with { type: 'json' }
import { loadConfig } from '../../../src/core/project/config.ts'
import { loadDialects } from '../../../src/dialects/load-dialects.ts'
import { SILENT } from '../../../src/support/logger.ts'
import { createMcpServer } from '../../../src/surfaces/mcp/mcp.ts'
import { CLIENT, setupCode } from '../../operations/code/code-setup.ts'
import { setup } from '../../setup.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'

const PAGE = 'text/html;profile=mcp-app'
const SHOWS_APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [PAGE] } } }
const OTHERS = [
  {},
  { extensions: {} },
  { extensions: { 'io.modelcontextprotocol/ui': {} } },
  { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/plain'] } } },
  { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: PAGE } } },
]

interface ListedTool {
  readonly name: string
  readonly annotations?: Fields
  readonly _meta?: { readonly ui?: { readonly resourceUri: string } }
}

async function toolsOf(client: DialectClient): Promise<readonly ListedTool[]> {
  const { result } = await client.request('tools/list')
  return result?.['tools'] as readonly ListedTool[]
}

it('a host that shows no views has the same tools as before, byte for byte, and no page [apps-others]', async () => {
  const core = listed
    .filter(({ toolset }) => toolset === 'core')
    .map(({ toolset: _toolset, ...tool }) => tool)
  for (const capabilities of OTHERS) {
    await using client = await connect('waymark', { capabilities })
    expect(JSON.stringify(await toolsOf(client))).toBe(JSON.stringify(core))
    const { error } = await client.request('tools/call', { name: 'show_board', arguments: {} })
    expect(error).toMatchObject({ message: 'Unknown tool: show_board' })
    const read = await client.request('resources/read', { uri: 'ui://waymark/board' })
    expect(read.error).toMatchObject({ data: { uri: 'ui://waymark/board' } })
  }
})

it('a host that shows views is offered three tools with a page each, in both eras [apps-offered]', async () => {
  await using client = await connect('waymark', { capabilities: SHOWS_APPS })
  const apps = (await toolsOf(client)).slice(-3)
  expect(apps.map(({ name, _meta }) => [name, _meta?.ui?.resourceUri])).toEqual([
    ['show_board', 'ui://waymark/board'],
    ['show_brief', 'ui://waymark/brief'],
    ['show_why', 'ui://waymark/why'],
  ])
  // Some hosts show no view for a tool that has them.
  expect(apps.filter(({ annotations }) => annotations !== undefined)).toEqual([])
  const { result } = await client.request('resources/list')
  expect(JSON.stringify(result)).not.toContain('ui://')

  await using project = await setup()
  const server = createMcpServer({
    dialects: await loadDialects('waymark'),
    store: project.context.store,
    project: { root: project.directory, state: join(project.directory, '.git/waymark') },
    config: loadConfig(undefined, {}),
    logger: SILENT,
  })
  const modern = createTestClient(server, { capabilities: SHOWS_APPS })
  expect((await modern.listTools()).slice(-3).map(({ name }) => name)).toEqual(
    apps.map(({ name }) => name),
  )
  for (const { _meta } of apps) {
    const uri = _meta?.ui?.resourceUri ?? ''
    const { contents } = await modern.readResource(uri)
    expect(contents).toEqual([
      {
        uri,
        mimeType: PAGE,
        text: expect.stringMatching(/^<!doctype html>/),
        _meta: expect.anything(),
      },
    ])
  }
  await expect(modern.readResource('ui://waymark/../board')).rejects.toThrow()
  await expect(modern.readResource('ui://waymark/constructor')).rejects.toThrow()
  modern.close()
})

it('tools that are chosen by name stay the only ones [apps-chosen]', async () => {
  const dialects = await loadDialects('waymark', { tools: 'recall' })
  await using client = await connect('waymark', { capabilities: SHOWS_APPS, server: { dialects } })
  expect((await toolsOf(client)).map(({ name }) => name)).toEqual(['recall'])
})

it('what a view shows is told to the model in words as well [apps-text]', async () => {
  await using client = await connect('waymark', { capabilities: SHOWS_APPS })
  await client.call('task_create', { tasks: [{ title: 'Take payments', priority: 'urgent' }] })
  await client.call('task_create', { tasks: [{ title: 'Send receipts', depends_on: ['1'] }] })
  await client.call('task_create', { tasks: [{ title: 'Store the cart' }] })
  await client.call('task_next', { claim: true })
  const board = await client.result('show_board')
  expect(board.content[0]?.text).toBe(
    [
      'ready: 1 task',
      '  #3 Store the cart',
      'in progress: 1 task',
      '  #1 Take payments (urgent, held by test)',
      'waiting: 1 task',
      '  #2 Send receipts (waits for #1)',
    ].join('\n'),
  )
  const columns = board.structuredContent['columns'] as { name: string; cards: Fields[] }[]
  expect(columns.find(({ name }) => name === 'waiting')?.cards).toMatchObject([
    { number: 2, title: 'Send receipts', waits_for: [1] },
  ])

  const brief = await client.result('show_brief', { topic: 'payments' })
  expect(brief.content[0]?.text).toContain('#1 Take payments')
  expect(brief.structuredContent).toMatchObject({ leases: [{ number: 1 }], ready: [{ number: 3 }] })
})

it('the source of a file comes with the reasons beside its lines [apps-source]', async () => {
  await using project = await setupCode()
  project.commit('Add a client', { 'src/client.ts': CLIENT })
  const intent = 'The server closes the older of two connections'
  await project.annotate({
    summary: 'Connect once',
    regions: [{ file: 'src/client.ts', anchor: 'Client.connect', intent }],
  })
  const { code } = project.context
  const server = { ...(code && { code }) }
  await using client = await connect('waymark', { project, capabilities: SHOWS_APPS, server })
  const { content, structuredContent } = await client.result('show_why', { path: 'src/client.ts' })
  expect(content[0]?.text).toMatch(
    /^src\/client\.ts:\nlines \d+-\d+: The server closes the older of two connections \(fresh, [0-9a-f]{10}, .*\)\nwhole file: Connect once \(/,
  )
  expect(structuredContent).toMatchObject({
    file: 'src/client.ts',
    lines: CLIENT.trimEnd().split('\n'),
    reasons: [
      { text: intent, state: 'fresh', lines: { start: expect.any(Number) } },
      { text: 'Connect once' },
    ],
  })
})

it('wrong arguments are refused by name [apps-refused]', async () => {
  await using client = await connect('waymark', { capabilities: SHOWS_APPS })
  expect(await client.refusal('show_board', { lable: 'x' })).toMatchObject({
    error: { details: { field: 'lable' } },
  })
  expect(await client.refusal('show_why', {})).toMatchObject({
    error: { details: { field: 'path' } },
  })
})
