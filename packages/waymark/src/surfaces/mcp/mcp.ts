import { createServer, type Server } from '@waymark/baton'
import { newAgentId } from '../../agent/agent.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { SemanticIndex } from '../../search/semantic/semantic-index.ts'
import { SUBWORD } from '../../search/semantic/subword.ts'
import { toReal } from '../../core/project/project-pool.ts'
import type { McpOptions } from './mcp-call.ts'
import { createPrompts, offersPrompts } from './mcp-prompts.ts'
import { createResources, resourcesOf } from './mcp-resources.ts'
import { createTools } from './mcp-tools.ts'
import { withOwnPrompts } from '../own-prompts.ts'
import { ResourceWatch } from './resource-watch.ts'

export type { McpOptions } from './mcp-call.ts'

const GRACE_MS = 2000

/** Serves the engine in one or more dialects. */
export function createMcpServer(given: Omit<McpOptions, 'connectionId' | 'connectedAt'>): Server {
  const [main] = given.dialects
  const { store, logger, home, projects } = given
  const watch = new ResourceWatch({
    logger,
    resources: resourcesOf(given),
    offersPrompts: offersPrompts(given),
    tellers: given.dialects.filter(({ toNews }) => toNews !== undefined),
  })
  const options: McpOptions = {
    ...given,
    semantic: given.semantic ?? new SemanticIndex(SUBWORD),
    connectionId: newAgentId(crypto.randomUUID()),
    connectedAt: given.now?.() ?? MACHINE_CLOCK.now(),
    ...(home !== undefined &&
      projects !== undefined && { projects: watched(projects, home, watch) }),
  }
  // Only for the one client of a pipe: over HTTP many could send such messages at once.
  const frameBytes =
    given.hostEnv && given.dialects.find((dialect) => dialect.messageBytes)?.messageBytes
  const server = createServer({
    ...main.server,
    // Clients get no details of an unexpected error, so it is logged.
    onError: (error, { method }) => logger.error('a request failed', { method, error }),
    limits: {
      // Backstop for handlers that ignore the abort: a timeout is normally answered by the dialect.
      requestMs: options.config.requestTimeoutMs + GRACE_MS,
      concurrency: options.config.maxConcurrentRequests,
      ...(frameBytes !== undefined && { frameBytes }),
    },
    ...(main.capabilities !== undefined && { capabilities: main.capabilities }),
    ...(options.strictProtocol === true &&
      main.strictVersions !== undefined && { strictVersions: main.strictVersions }),
    handler: {
      ...createTools(options),
      ...createResources(options, watch),
      ...withOwnPrompts(options, createPrompts(options)),
    },
  })
  if (given.clients !== undefined) server.use(given.clients.watch)
  watch.start(server.notify)
  if (given.remote !== undefined && given.closing !== undefined)
    void watch.followJoined(given.remote, given.closing)
  else if (home === undefined) void watch.followHome(store)
  return server
}

/** The project that was missing when serving began is followed as soon as it is there. */
function watched(
  projects: NonNullable<McpOptions['projects']>,
  home: string,
  watch: ResourceWatch,
): NonNullable<McpOptions['projects']> {
  return {
    async open(name) {
      const project = await projects.open(name)
      // The home project, by any of its names.
      if (name === home || project.root === toReal(home)) await watch.followHome(project.store)
      return project
    },
  }
}
