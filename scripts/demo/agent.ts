import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const waymark = fileURLToPath(
  new URL('../../packages/waymark/bin/waymark.js', import.meta.url),
)

/** An agent in a process of its own, connected over MCP. */
export interface Agent {
  readonly name: string
  /** Calls a tool and answers the text that the agent sees. */
  call(tool: string, input: object): Promise<string>
  kill(): void
}

interface Answer {
  readonly result: { readonly content: readonly { readonly text: string }[] }
}

export async function connect(directory: string, name: string): Promise<Agent> {
  const child = spawn(process.execPath, [waymark, 'serve'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  const request = async (method: string, params: object): Promise<Answer> => {
    id += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    for (;;) {
      const { value } = await answers.next()
      const message = JSON.parse(String(value)) as Answer & { id?: number }
      // Notifications have no id.
      if (message.id === id) return message
    }
  }
  const clientInfo = { name, version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  return {
    name,
    call: async (tool, input) => {
      const { result } = await request('tools/call', { name: tool, arguments: input })
      return result.content[0]?.text ?? ''
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
