import type { ServerCapabilities } from '../protocol/capability.ts'
import type { Icon, Implementation } from '../protocol/implementation.ts'
import type { CacheHint } from '../protocol/resource.ts'
import { Telemetry } from '../telemetry/telemetry.ts'
import type { Awaitable, CallContext } from './call-context.ts'
import { SharedPlaces } from './call/shared-places.ts'
import { toCapabilities } from './capabilities.ts'
import type { Change, ServerNotifier } from './change.ts'
import { Connection } from './connection.ts'
import type { ConnectionOptions } from './connection.ts'
import type { Definitions, Feature } from './definition/definitions.ts'
import { Registry } from './definition/registry.ts'
import type { ServerHandler } from './handler.ts'
import { RequestStates } from './input/request-state.ts'
import type { RequestStateOptions } from './input/request-state.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { Limits } from './limits.ts'
import type { Middleware } from './middleware.ts'
import { ListPages } from './reply/list-pages.ts'
import { ResultText } from './reply/result-text.ts'
import type { ServerRuntime } from './runtime.ts'
import { TaskRunner } from './task/task-runner.ts'
import type { TaskOptions } from './task/task-runner.ts'

/** How a server presents itself and what it allows. */
export interface ServerOptions {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
  /** Guidance for the model on how to use the server as a whole. */
  readonly instructions?: string
  /** Serves everything through one object, for applications whose lists change; excludes the builder. */
  readonly handler?: ServerHandler
  readonly limits?: Partial<Limits>
  /** Capabilities to advertise besides those that follow from what is offered. */
  readonly capabilities?: ServerCapabilities
  /** How long modern clients may keep lists and resources; by default they must ask each time. */
  readonly cache?: CacheHint
  /** Makes `initialize` with any other version an error that lists these. */
  readonly strictVersions?: readonly string[]
  /** Lets tool calls go on as tasks; a tool that says so itself does not need this. */
  readonly tasks?: TaskOptions
  /** How the state of requests that ask for input is signed; by a key of this process by default. */
  readonly requestState?: RequestStateOptions
  /** Hears of errors that clients get no details of. */
  readonly onError?: (error: unknown, context: CallContext) => void
}

/** An MCP server without a transport: define what it offers, then connect clients to it. */
export interface Server extends Definitions {
  readonly limits: Limits
  readonly notify: ServerNotifier
  /**
   * Offers what `load` will define. It is called when a client first asks for one of the features, so that what it
   * imports, such as a schema library, costs nothing until then. If it fails, the client is told and the next request
   * tries again.
   * @example
   * server.lazy(['tools'], async (definitions) => {
   *   const { defineTools } = await import('./tools.ts')
   *   defineTools(definitions)
   * })
   */
  lazy(features: readonly Feature[], load: (definitions: Definitions) => Awaitable<void>): this
  /** Wraps every request; the first middleware added is the outermost. */
  use(middleware: Middleware): this
  /** Lets a client in; a transport calls this once for each client. */
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
    places: new SharedPlaces(limits),
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
      // Whoever throws because it was told to stop has nothing to report.
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
    tool: (definition) => define(['tools'], () => registry.tool(definition)),
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
    if (options.handler) throw new Error('a server with a handler takes no definitions')
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
