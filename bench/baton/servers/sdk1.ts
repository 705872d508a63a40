import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { big, echo, SERVER_INFO } from './answers.ts'
import { BIG_INPUT, BIG_OUTPUT, ECHO_INPUT } from './schemas.ts'

/** The two tools on the official SDK 1.x. */
export function createSdk1Server(): McpServer {
  const server = new McpServer(SERVER_INFO)
  server.registerTool('echo', { inputSchema: ECHO_INPUT }, ({ text }) => echo(text))
  server.registerTool('big', { inputSchema: BIG_INPUT, outputSchema: BIG_OUTPUT }, () => big())
  return server
}
