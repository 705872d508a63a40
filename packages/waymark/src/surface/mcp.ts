import { createServer, type Server } from '@waymark/baton'
import type { McpOptions } from './mcp-call.ts'
import { createPrompts, offersPrompts } from './mcp-prompts.ts'
import { createResources, resourcesOf } from './mcp-resources.ts'
import { createTools } from './mcp-tools.ts'
import { ResourceWatch } from './resource-watch.ts'

export type { McpOptions } from './mcp-call.ts'

/** Serves the engine in one or more dialects. */
export function createMcpServer(options: McpOptions): Server {
  const [main] = options.dialects
  const { store, logger } = options
  const resources = resourcesOf(options)
  const watch = new ResourceWatch({
    store,
    logger,
    resources,
    offersPrompts: offersPrompts(options),
  })
  const server = createServer({
    ...main.server,
    limits: { requestMs: options.config.requestTimeoutMs },
    ...(main.capabilities !== undefined && { capabilities: main.capabilities }),
    ...(options.strictProtocol === true &&
      main.strictVersions !== undefined && { strictVersions: main.strictVersions }),
    handler: {
      ...createTools(options),
      ...createResources(options, watch),
      ...createPrompts(options),
    },
  })
  if (resources.length > 0 || offersPrompts(options)) watch.start(server.notify)
  return server
}
