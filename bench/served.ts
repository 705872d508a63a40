import { connectInMemory, type MemoryClient } from '@waymark/baton'
import { loadConfig } from '../packages/waymark/src/core/project/config.ts'
import { loadDialects } from '../packages/waymark/src/dialects/load-dialects.ts'
import { SILENT } from '../packages/waymark/src/support/logger.ts'
import { createMcpServer, type McpOptions } from '../packages/waymark/src/surfaces/mcp/mcp.ts'

/** A client in this process of a server of the project, after its handshake. */
export async function serveInMemory(
  project: Pick<McpOptions, 'store' | 'project' | 'code'>,
  dialect = 'waymark',
): Promise<MemoryClient> {
  const server = createMcpServer({
    dialects: await loadDialects(dialect),
    ...project,
    config: loadConfig(undefined, {}),
    logger: SILENT,
  })
  const client = connectInMemory(server)
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  return client
}
