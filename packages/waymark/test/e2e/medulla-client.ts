import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { createProject } from '../setup.ts'
import { command } from '../surface/command.ts'
import { WAYMARK } from './binary.ts'

export type Fields = Record<string, unknown>

/** The official client, connected to `waymark serve --dialect medulla` in a process of its own. */
export interface MedullaSession extends AsyncDisposable {
  readonly directory: string
  readonly client: Client
  /** What came out of the process on standard error so far. */
  readonly log: () => string
  /** Addresses that the server said have changed. */
  readonly updated: readonly string[]
  /** What a tool answers, read from the text of its result as a model would. */
  call(name: string, args?: Fields): Promise<Fields>
  read(uri: string): Promise<Fields>
  /** Another command in the same project. */
  readonly cli: (...args: string[]) => Promise<string>
}

export async function startMedulla(
  options: {
    readonly args?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Promise<MedullaSession> {
  const repository = await createProject()
  const { directory } = repository
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [WAYMARK, 'serve', '--dialect', 'medulla', ...(options.args ?? [])],
    cwd: directory,
    stderr: 'pipe',
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
  })
  let log = ''
  transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const client = new Client({ name: 'checklist', version: '1' })
  const updated: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri)
  })
  // The 1.x types predate exact optional properties; at run time this is how the package is meant to be used.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return {
    directory,
    client,
    log: () => log,
    updated,
    call: async (name, args = {}) => {
      const { content } = await client.callTool({ name, arguments: args })
      const [first] = content as { text: string }[]
      return JSON.parse(first?.text ?? 'null') as Fields
    },
    read: async (uri) => {
      const { contents } = await client.readResource({ uri })
      return JSON.parse((contents as { text: string }[])[0]?.text ?? 'null') as Fields
    },
    cli: async (...args) => (await command(directory, args)).out,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await repository[Symbol.asyncDispose]()
    },
  }
}
