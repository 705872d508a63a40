import { connectInMemory } from '@waymark/baton'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/project/config.ts'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { SILENT } from '../../src/support/logger.ts'
import { findOperation } from '../../src/registry.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { singular } from '../../src/surfaces/words.ts'
import { createMcpServer } from '../../src/surfaces/mcp/mcp.ts'
import { type Setup, setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'
import { createTestTerminal } from './test-terminal.ts'

interface Answer {
  readonly ok: boolean
  readonly value: Record<string, unknown>
}

/** Calls an operation the way one kind of caller does. */
type Caller = (project: Setup, operation: string, input: Record<string, unknown>) => Promise<Answer>

const overMcp: Caller = async (project, operation, input) => {
  const server = createMcpServer({
    dialects: await loadDialects('waymark', { toolsets: 'entities' }),
    store: project.context.store,
    config: loadConfig(undefined, {}),
    logger: SILENT,
  })
  const client = connectInMemory(server)
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  await client.request('initialize', params)
  const response = await client.request('tools/call', {
    name: operation.replace('.', '_'),
    arguments: input,
  })
  client.close()
  const { isError, structuredContent } = (
    response as { result: { isError?: boolean; structuredContent: Record<string, unknown> } }
  ).result
  return { ok: isError !== true, value: structuredContent }
}

const overCli: Caller = async (project, operation, { properties = {}, ...input }) => {
  const positional = (await findOperation(operation))?.positional ?? []
  const flags = Object.entries({ ...input, ...(properties as object) })
    .filter(([field]) => !positional.includes(field))
    .flatMap(([field, value]) => [`--${singular(field).replaceAll('_', '-')}`, String(value)])
  const words = positional.flatMap((field) =>
    typeof input[field] === 'string' ? [input[field]] : [],
  )
  const force = operation.endsWith('delete') ? ['--force'] : []
  const terminal = createTestTerminal(project.directory)
  const exit = await runCli(
    [...operation.split('.'), ...words, ...flags, ...force, '--json'],
    terminal,
  )
  return {
    ok: exit === 0,
    value: JSON.parse(exit === 0 ? terminal.output.out : terminal.output.err),
  }
}

const overHttp: Caller = async (project, operation, input) => {
  await using site = createTestSite(project.directory)
  const response = await site.ask(`/api/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return { ok: response.ok, value: (await response.json()) as Record<string, unknown> }
}

describe.each([
  ['MCP', overMcp],
  ['the command line', overCli],
  ['HTTP', overHttp],
] as const)('over %s', (_, call) => {
  it('one scenario gives the same results', async () => {
    await using project = await setup()
    const made = await call(project, 'entity.create', {
      type: 'task',
      title: 'Write the store',
      tags: ['core'],
      properties: { due_date: '2026-12-01', priority: 'high' },
    })
    expect(made).toMatchObject({
      ok: true,
      value: {
        number: 1,
        type: 'task',
        tags: ['core'],
        properties: { due_date: '2026-12-01', priority: 250, status: 'todo' },
      },
    })
    const changed = await call(project, 'entity.update', { id: '1', title: 'Write it well' })
    expect(changed).toMatchObject({ ok: true, value: { title: 'Write it well' } })
    expect(await call(project, 'entity.list', { type: 'task' })).toMatchObject({
      ok: true,
      value: { total: 1, limit: 50 },
    })
    expect(await call(project, 'entity.get', { id: '1' })).toMatchObject({
      ok: true,
      value: { title: 'Write it well' },
    })
    expect(await call(project, 'entity.delete', { id: '1' })).toMatchObject({
      ok: true,
      value: { deleted: true },
    })
    expect(await call(project, 'entity.get', { id: '1' })).toMatchObject({
      ok: false,
      value: { error: { code: 'not_found', retryable: false, details: { id: '1' } } },
    })
  })

  it('bad input names the field and changes nothing', async () => {
    await using project = await setup()
    const refused = await call(project, 'entity.create', {
      type: 'task',
      title: 'X',
      properties: { due_date: 'soon' },
    })
    expect(refused).toMatchObject({
      ok: false,
      value: {
        error: {
          code: 'invalid_input',
          details: { field: 'properties.due_date', rule: 'bad_format' },
        },
      },
    })
    expect(await call(project, 'entity.list', {})).toMatchObject({ value: { total: 0 } })
  })
})
