import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { big, echo, SERVER_INFO } from './answers.ts'
import { SCHEMAS } from './schemas.ts'

const { echoInput, bigInput, bigOutput } = SCHEMAS

/** The two tools on the official SDK 1.x. */
export function createSdk1Server(): McpServer {
  const server = new McpServer(SERVER_INFO)
  server.registerTool('echo', { inputSchema: echoInput }, ({ text }) => echo(text))
  server.registerTool('big', { inputSchema: bigInput, outputSchema: bigOutput }, () => big())
  return server
}
