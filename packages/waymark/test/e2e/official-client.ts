import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { WAYMARK } from './binary.ts'

type Fields = Record<string, unknown>

/** The official client with a server process of its own. */
export interface OfficialClient extends AsyncDisposable {
  readonly client: Client
  /** Of the server. */
  readonly pid: number
  /** What the server wrote to standard error so far. */
  readonly log: { text: string }
  /** Log messages that arrived as notifications. */
  readonly messages: readonly Fields[]
  /** What a tool answers; the client checks it against the tool's schema. */
  call(name: string, args?: Fields): Promise<Fields>
  /** The answer of a tool whether or not it is an error. */
  result(
    name: string,
    args?: Fields,
  ): Promise<{ isError: boolean; structured: Fields; text: string }>
}

interface ServerOptions {
  readonly cwd: string
  readonly env?: Record<string, string>
  /** What the client calls itself. */
  readonly name?: string
}

export async function connectOfficial(
  args: readonly string[],
  { cwd, env = {}, name = 'official' }: ServerOptions,
): Promise<OfficialClient> {
  const client = new Client({ name, version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [WAYMARK, ...args],
    cwd,
    // Tests may themselves be run by an agent, whose conversation this is not.
    env: { ...(process.env as Record<string, string>), CLAUDE_CODE_SESSION_ID: '', ...env },
    stderr: 'pipe',
  })
  const log = { text: '' }
  transport.stderr?.on('data', (chunk: Buffer) => (log.text += chunk.toString('utf8')))
  const messages: Fields[] = []
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    messages.push(params)
  })
  // The 1.x types predate exact optional properties; at run time this is how the package is meant to be used.
  await client.connect(transport as Parameters<Client['connect']>[0])
  // Knowing the schemas of the results makes the client check them.
  await client.listTools()
  const result: OfficialClient['result'] = async (name, given = {}) => {
    const answer = (await client.callTool({ name, arguments: given })) as {
      isError?: boolean
      structuredContent?: Fields
      content: { text: string }[]
    }
    return {
      isError: answer.isError === true,
      structured: answer.structuredContent ?? {},
      text: answer.content[0]?.text ?? '',
    }
  }
  return {
    client,
    pid: transport.pid ?? 0,
    log,
    messages,
    result,
    async call(name, given) {
      const { isError, structured, text } = await result(name, given)
      if (isError) throw new Error(text)
      return structured
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
