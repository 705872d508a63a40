import { Connection } from '@waymark/sqlite'
import { expect, it, vi } from 'vitest'
import { listAgents } from '../../src/agent/operations.ts'
import { execute } from '../../src/core/execute.ts'
import { createLogger, type LogLevel } from '../../src/support/logger.ts'
import { ClientLog } from '../../src/surfaces/mcp/client-log.ts'
import { connect, type ConnectOptions } from '../dialects/client.ts'
import { type Setup, setup } from '../setup.ts'

interface Logged extends AsyncDisposable {
  readonly clients: ClientLog
  readonly lines: readonly string[]
  readonly server: NonNullable<ConnectOptions['server']>
}

function logged(project: Setup, level: LogLevel, { readOnly = false } = {}): Logged {
  const lines: string[] = []
  const logger = createLogger({ level, target: 'test', write: (line) => lines.push(line) })
  const { store } = project.context
  const clients = new ClientLog({ logger, store, worktree: project.directory, readOnly })
  return {
    clients,
    lines,
    server: { logger, clients },
    [Symbol.asyncDispose]: () => clients[Symbol.asyncDispose](),
  }
}

it('the log says who connected with which protocol, and nothing of calls unless asked [client-log-quiet]', async () => {
  await using project = await setup()
  const clientInfo = { name: 'gemini-cli-mcp-client', version: '0.61.0' }
  for (const [level, dialect, count] of [
    ['info', 'waymark', 1],
    ['info', 'lodestar', 1],
    ['info', 'medulla', 3],
    ['debug', 'waymark', 5],
  ] as const) {
    await using log = logged(project, level)
    await using client = await connect(dialect, { project, clientInfo, server: log.server })
    await client.request('tools/list')
    const tool = { waymark: 'task_get', lodestar: 'lodestar.task.list', medulla: 'entity_list' }
    await client.result(tool[dialect])
    const label = `${level} ${dialect}`
    expect(log.lines[0], label).toMatch(
      /INFO test client connected client="gemini-cli-mcp-client" version="0.61.0" protocol="2025-06-18"$/,
    )
    expect(log.lines, label).toHaveLength(count)
  }
})

it('agents list says which client connected, when, and what it requested last [client-log-listed]', async () => {
  await using project = await setup()
  await using log = logged(project, 'off')
  const { server } = log
  const clientInfo = { name: 'codex-mcp-client', version: '0.166.0' }
  await using _codex = await connect('waymark', { project, clientInfo, server })
  const list = async () => (await execute(project.context, listAgents, {})).clients
  await log.clients.save()
  expect(await list()).toMatchObject([
    { client: 'codex-mcp-client', version: '0.166.0', protocol: '2025-06-18', asked: 'initialize' },
  ])
  const modern = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '2.1.325' },
  }
  await _codex.request('server/discover', { _meta: modern })
  await _codex.result('brief', {}, modern)
  await log.clients.save()
  const clients = await list()
  expect(clients.find(({ client }) => client === 'claude-code')).toMatchObject({
    protocol: '2026-07-28',
    asked: 'tools/call brief',
  })
  expect(clients).toHaveLength(2)
})

it('the probe of doctor, a read-only server and a long name leave no mess behind', async () => {
  await using project = await setup()
  const list = async () => (await execute(project.context, listAgents, {})).clients
  await using log = logged(project, 'off')
  const probe = { name: 'waymark-doctor', version: '1' }
  await using _probe = await connect('waymark', { project, clientInfo: probe, server: log.server })
  await using quiet = logged(project, 'off', { readOnly: true })
  await using _reader = await connect('waymark', { project, server: quiet.server })
  await Promise.all([log.clients.save(), quiet.clients.save()])
  expect(await list()).toEqual([])
  for (let number = 0; number < 60; number += 1) {
    const clientInfo = { name: `${number} ${'x'.repeat(300)}`, version: '\0' }
    await using _many = await connect('waymark', { project, clientInfo, server: log.server })
  }
  const run = vi.spyOn(Connection.prototype, 'run')
  await log.clients.save()
  const written = run.mock.calls.filter(([sql]) => sql.includes('INTO client_connection'))
  run.mockRestore()
  expect(written).toHaveLength(50)
  expect((await list()).map(({ client }) => client.length)).toEqual(Array(10).fill(100))
  expect(await project.context.store.clients.latest(1000)).toHaveLength(50)
})
