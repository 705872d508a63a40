import type { ServerCapabilities } from '../protocol/capability.ts'
import type { Icon, Implementation } from '../protocol/implementation.ts'
import type { CacheHint } from '../protocol/resource.ts'
import { Telemetry } from '../telemetry/telemetry.ts'
import type { CallContext } from './call-context.ts'
import { SharedPlaces } from './call/shared-places.ts'
import { toCapabilities } from './capabilities.ts'
import type { Change, ServerNotifier } from './change.ts'
import { Connection } from './connection.ts'
import type { ConnectionOptions } from './connection.ts'
import type { PromptDefinition } from './definition/prompt-definition.ts'
import { Registry } from './definition/registry.ts'
import type {
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './definition/resource-definition.ts'
import type { Schema } from './definition/schema.ts'
import { compileTool } from './definition/tool-definition.ts'
import type { ToolDefinition } from './definition/tool-definition.ts'
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
export interface Server {
  readonly limits: Limits
  readonly notify: ServerNotifier
  /** Adds a tool. */
  tool<Input extends Schema>(definition: ToolDefinition<Input>): Server
  /** Adds a resource at a fixed URI. */
  resource(definition: ResourceDefinition): Server
  /** Adds a family of resources. */
  resourceTemplate(definition: ResourceTemplateDefinition): Server
  /** Adds a prompt. */
  prompt(definition: PromptDefinition): Server
  /** Sets what suggests values for arguments of prompts and resource templates. */
  completion(complete: NonNullable<ServerHandler['complete']>): Server
  /** Wraps every request; the first middleware added is the outermost. */
  use(middleware: Middleware): Server
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
  const registry = new Registry()
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
      if (options.tasks === undefined && !registry.usesTasks) return undefined
      tasks ??= new TaskRunner(options.tasks ?? {}, (task, owner) => {
        publish({ kind: 'task', task, owner })
      })
      return tasks
    },
    capabilities() {
      const hasTasks = options.tasks !== undefined || registry.usesTasks
      return toCapabilities(handler, hasTasks, options.capabilities)
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
      toolsChanged: () => publish({ kind: 'tools' }),
      promptsChanged: () => publish({ kind: 'prompts' }),
      resourcesChanged: () => publish({ kind: 'resources' }),
      log: (level, data, logger) =>
        publish({ kind: 'log', message: { level, data, ...(logger !== undefined && { logger }) } }),
    },
    tool: (definition) => define('tools', () => registry.addTool(compileTool(definition))),
    resource: (definition) => define('resources', () => registry.addResource(definition)),
    resourceTemplate: (definition) => define('resources', () => registry.addTemplate(definition)),
    prompt: (definition) => define('prompts', () => registry.addPrompt(definition)),
    completion: (complete) => define(undefined, () => registry.setCompletion(complete)),
    use(middleware) {
      middlewares.push(middleware)
      return server
    },
    connect: (connectionOptions) => new Connection(runtime, connectionOptions),
  }

  function define(list: 'tools' | 'resources' | 'prompts' | undefined, add: () => void): Server {
    if (options.handler) throw new Error('a server with a handler takes no definitions')
    add()
    handler = registry.toHandler()
    if (list !== undefined) publish({ kind: list })
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
