import type { ServerCapabilities } from '../protocol/capability.ts'
import type { Implementation } from '../protocol/implementation.ts'
import type { CacheHint } from '../protocol/server-features/resource.ts'
import { Telemetry } from '../telemetry/telemetry.ts'
import type { Awaitable, CallContext } from './call-context.ts'
import { ConcurrencyLimiter } from './call/call-queue.ts'
import { toCapabilities } from './capabilities.ts'
import type { Change, ServerNotifier } from './change.ts'
import { Connection } from './connection.ts'
import type { ConnectionOptions } from './connection.ts'
import type { Definitions, Feature } from './definition/definitions.ts'
import { Registry } from './definition/registry.ts'
import type { Schema } from './definition/schema.ts'
import type { StructuredToolDefinition, ToolDefinition } from './definition/tool-definition.ts'
import type { ServerHandler } from './handler.ts'
import { RequestStates } from './input/request-state.ts'
import type { RequestStateOptions } from './input/request-state.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { Limits } from './limits.ts'
import type { Middleware } from './middleware.ts'
import { ListPages } from './list-pages.ts'
import { ResultText } from './reply.ts'
import type { ServerRuntime } from './runtime.ts'
import { TaskRunner } from './task/task-runner.ts'
import type { TaskOptions } from './task/task-runner.ts'

/** Options of a server. */
export interface ServerOptions extends Implementation {
  /** Instructions for the model on how to use the server. */
  readonly instructions?: string
  /** Serves all features through one object, for lists that change at run time; excludes `tool`, `resource` etc. */
  readonly handler?: ServerHandler
  readonly limits?: Partial<Limits>
  /** Capabilities to advertise besides those that follow from the definitions. */
  readonly capabilities?: ServerCapabilities
  /** How long modern clients may cache lists and resources; not at all by default. */
  readonly cache?: CacheHint
  /** Makes `initialize` with any other version an error that lists the supported ones. */
  readonly strictVersions?: readonly string[]
  /** Enables tasks for tool calls; a tool with `task` enables them too. */
  readonly tasks?: TaskOptions
  /** How request states are signed; with a random key of this process by default. */
  readonly requestState?: RequestStateOptions
  /** Gets the errors whose details are not sent to clients. */
  readonly onError?: (error: unknown, context: CallContext) => void
}

/** An MCP server without a transport: add definitions, then connect clients. */
export interface Server extends Definitions {
  readonly limits: Limits
  readonly notify: ServerNotifier
  /**
   * Advertises features whose definitions `load` adds when a client first needs one of them, so that its imports, such as a
   * schema library, cost nothing until then. If it fails, the client gets an error and the next request tries again.
   * @example
   * server.lazy(['tools'], async (definitions) => {
   *   const { defineTools } = await import('./tools.ts')
   *   defineTools(definitions)
   * })
   */
  lazy(features: readonly Feature[], load: (definitions: Definitions) => Awaitable<void>): this
  /** Adds a middleware around every request; the first one added is the outermost. */
  use(middleware: Middleware): this
  /** Connects a client; called by transports. */
  connect(options: ConnectionOptions): Connection
}

const NO_CACHING: CacheHint = { ttlMs: 0, cacheScope: 'private' }

/**
 * Creates a server.
 * @example
 * createServer({ name: 'greeter', version: '1.0.0' }).tool({
 *   name: 'greet',
 *   run: () => ({ content: [{ type: 'text', text: 'hello' }] }),
 * })
 */
export function createServer(options: ServerOptions): Server {
  const registry = new Registry({ hasTasks: options.tasks !== undefined })
  let handler = options.handler ?? registry.toHandler()
  const info = toImplementation(options)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const results = new ResultText(info)
  const middlewares: Middleware[] = []
  let tasks: TaskRunner | undefined
  const runtime: ServerRuntime = {
    info,
    instructions: options.instructions,
    limits,
    concurrency: new ConcurrencyLimiter(limits),
    cacheHint: options.cache ?? NO_CACHING,
    strictVersions: options.strictVersions,
    results,
    pages: new ListPages(limits.pageSize, results),
    get handler() {
      return handler
    },
    connections: new Set(),
    states: new RequestStates(options.requestState),
    telemetry: new Telemetry(),
    middlewares,
    get tasks() {
      if (!registry.hasTasks) return undefined
      tasks ??= new TaskRunner(options.tasks ?? {}, (task, owner) => {
        publish({ kind: 'task', task, owner })
      })
      return tasks
    },
    capabilities() {
      return toCapabilities(handler, registry.hasTasks, options.capabilities)
    },
    reportError(error, call) {
      // An aborted handler throws because it was told to stop, which is not a failure.
      if (!call.isAborted) options.onError?.(error, call.context)
    },
  }
  const publish = (change: Change): void => {
    for (const connection of runtime.connections) connection.publish(change)
  }
  const server: Server = {
    limits,
    notify: {
      resourceUpdated: (uri) => publish({ kind: 'resource', uri }),
      resourcesUpdated(isUpdated) {
        for (const connection of runtime.connections) connection.publishUpdates(isUpdated)
      },
      toolsChanged: () => publish({ kind: 'tools' }),
      promptsChanged: () => publish({ kind: 'prompts' }),
      resourcesChanged: () => publish({ kind: 'resources' }),
      log: (level, data, logger) =>
        publish({ kind: 'log', message: { level, data, ...(logger !== undefined && { logger }) } }),
    },
    tool: <Input extends Schema, Output extends Schema>(
      definition: ToolDefinition<Input> | StructuredToolDefinition<Input, Output>,
    ) => define(['tools'], () => registry.tool(definition)),
    resource: (definition) => define(['resources'], () => registry.resource(definition)),
    resourceTemplate: (definition) =>
      define(['resources'], () => registry.resourceTemplate(definition)),
    prompt: (definition) => define(['prompts'], () => registry.prompt(definition)),
    completion: (complete) => define(['completions'], () => registry.completion(complete)),
    lazy: (features, load) => define(features, () => registry.lazy(features, load)),
    use(middleware) {
      middlewares.push(middleware)
      return server
    },
    connect: (connectionOptions) => new Connection(runtime, connectionOptions),
  }

  function define(features: readonly Feature[], add: () => void): Server {
    if (options.handler) throw new Error('a server with the option `handler` takes no definitions')
    add()
    handler = registry.toHandler()
    for (const kind of features) if (kind !== 'completions') publish({ kind })
    return server
  }

  return server
}

function toImplementation(options: ServerOptions): Implementation {
  const { name, version, title, description, websiteUrl, icons } = options
  return {
    name,
    version,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(icons !== undefined && { icons }),
  }
}
