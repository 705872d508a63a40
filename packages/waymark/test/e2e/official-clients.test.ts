import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { WAYMARK, waymark } from './binary.ts'

const info = { name: 'official', version: '1' }

/** What both official clients can do, however they are connected. */
interface Session {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

type Connect = (cwd: string, args: string[]) => Promise<Session>

const sdk1: Connect = async (cwd, args) => {
  const client = new Client(info)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [WAYMARK, ...args],
    cwd,
    stderr: 'ignore',
  })
  // The 1.x types predate exact optional properties; at run time this is how the package is meant to be used.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client as unknown as Session
}

const sdk2 =
  (mode: 'legacy' | 'auto' | { pin: string }): Connect =>
  async (cwd, args) => {
    const client = new ModernClient(info, { versionNegotiation: { mode } })
    await client.connect(
      new ModernStdio({
        command: process.execPath,
        args: [WAYMARK, ...args],
        cwd,
        stderr: 'ignore',
      }),
    )
    return client as unknown as Session
  }

describe.each([
  ['client of SDK 1.x', sdk1],
  ['client 2.x, legacy handshake', sdk2('legacy')],
  ['client 2.x, automatic negotiation', sdk2('auto')],
  ['client 2.x, pinned to 2026-07-28', sdk2({ pin: '2026-07-28' })],
] as const)('%s', (_, connect) => {
  it.each(['medulla', 'waymark'])(
    'lists the tools of the %s dialect, creates a decision, and the command line shows it',
    async (dialect) => {
      await using repository = await createProject()
      const session = await connect(repository.directory, [
        'serve',
        '--dialect',
        dialect,
        '--toolsets',
        'all',
      ])
      const { tools } = await session.listTools()
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['entity_create', 'entity_get', 'entity_list']),
      )
      const result = await session.callTool({
        name: 'entity_create',
        arguments: { type: 'decision', title: 'Use SQLite', properties: { status: 'accepted' } },
      })
      expect(result).toMatchObject({
        structuredContent: { title: 'Use SQLite', properties: { status: 'accepted' } },
      })
      await session.close()
      const { exit, out } = await waymark(repository.directory, ['list', 'decisions'])
      expect([exit, out]).toEqual([0, expect.stringMatching(/^#1\tUse SQLite\tdecision\taccepted/)])
    },
  )
})
