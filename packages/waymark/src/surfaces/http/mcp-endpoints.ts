import {
  createMcpEndpoint,
  MemorySessionStore,
  type McpEndpoint,
  type SessionEvent,
  type SessionStore,
} from '@waymark/baton/http'
import type { Dialect } from '../../dialects/dialect.ts'
import { Failure } from '../../core/error.ts'
import { withNoteRef } from '../../git/code-source.ts'
import type { Logger } from '../../support/logger.ts'
import { workingTreeOf } from '../../core/project/project.ts'
import { toReal } from '../../core/project/project-pool.ts'
import { offload } from '../../core/worker/offload.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { Store } from '../../core/store/store.ts'
import { toSessionName } from '../caller.ts'
import { ClientLog } from '../mcp/client-log.ts'
import { createMcpServer, type McpOptions } from '../mcp/mcp.ts'
import type { Authentication } from './authentication.ts'
import type { HostedProject } from '../serve/hosting/hosted-project.ts'
import { openSessions } from '../serve/session-file.ts'

export interface McpEndpointsOptions extends Pick<
  McpOptions,
  'access' | 'span' | 'strictProtocol' | 'toolNames'
> {
  /** The dialects by the name that addresses have for them. */
  readonly load: (dialect: string) => Promise<readonly [Dialect, ...Dialect[]]>
  readonly authentication: Pick<Authentication, 'forDialects'>
  readonly noteRef?: string | undefined
  readonly logger: Logger
  readonly onSession?: (event: SessionEvent) => void
}

/** The endpoints that were asked for so far: one for each project and dialect, with sessions of its own. */
export class McpEndpoints {
  readonly #options: McpEndpointsOptions
  readonly #endpoints = new Map<string, Promise<McpEndpoint>>()
  readonly #stores: SessionStore[] = []
  readonly #clients: ClientLog[] = []

  constructor(options: McpEndpointsOptions) {
    this.#options = options
  }

  async find(project: HostedProject, dialect: string): Promise<McpEndpoint> {
    const key = `${project.name} ${dialect}`
    const known = this.#endpoints.get(key) ?? this.#create(project, dialect)
    this.#endpoints.set(key, known)
    try {
      return await known
    } catch (error) {
      // Errors are not cached: the next request tries again.
      this.#endpoints.delete(key)
      throw error
    }
  }

  async close(graceMs: number): Promise<void> {
    const opened = await Promise.allSettled(this.#endpoints.values())
    await Promise.all(
      opened.map(async (one) => {
        if (one.status === 'fulfilled') await one.value.close(graceMs)
      }),
    )
    for (const clients of this.#clients.splice(0)) await clients[Symbol.asyncDispose]()
    for (const store of this.#stores.splice(0)) await store[Symbol.asyncDispose]()
  }

  async #create(hosted: HostedProject, name: string): Promise<McpEndpoint> {
    const { load, authentication, noteRef, onSession, ...shared } = this.#options
    const [dialects, engine] = await Promise.all([load(name), hosted.open()])
    const { project, config, semantic, hosted: place, openSharedSessions } = engine
    const [main] = dialects
    const logger = shared.logger.with({ project: hosted.name })
    const clients = new ClientLog({
      logger,
      store: project.store,
      worktree: project.root,
      readOnly: shared.access?.readOnly === true,
    })
    this.#clients.push(clients)
    const { code, ...info } = workingTreeOf(project, config)
    const server = createMcpServer({
      clients,
      ...shared,
      dialects,
      config,
      semantic,
      offload,
      logger,
      store: project.store,
      projects: onlyThis(hosted),
      ...info,
      ...(code !== undefined && { code: withNoteRef(code, noteRef, main.name) }),
      ...(place !== undefined && { hosted: place }),
    })
    const { state } = project
    const store =
      state === undefined
        ? ((await openSharedSessions?.(name)) ?? new MemorySessionStore())
        : await openSessions(state, name)
    this.#stores.push(store)
    return createMcpEndpoint(server, {
      authenticator: await authentication.forDialects(dialects),
      store,
      onSession: (event) => {
        onSession?.(event)
        if (hasEnded(event)) void endSession(project.store, event.sessionId)
      },
      onError: (error) => logger.error('a request failed', { error }),
    })
  }
}

function hasEnded({ kind }: SessionEvent): boolean {
  return kind === 'terminated' || kind === 'expired' || kind === 'evicted'
}

/** The next session of the same host and owner may continue as the agent of one that has ended. */
async function endSession(store: Store, sessionId: string): Promise<void> {
  const session = toSessionName(sessionId)
  store.sessionAgents.delete(session)
  try {
    if ((await store.agentSessions.bySession(session)) === undefined) return
    await store.write(async (tx) => tx.agentSessions.end(session, await tx.now(MACHINE_CLOCK)))
  } catch {
    // The store is closing. The session is found ended by the next server, which forgets it too.
  }
}

/** The address says which project is meant, and it is there that a caller's right to it is checked. */
function onlyThis(hosted: HostedProject): NonNullable<McpOptions['projects']> {
  return {
    async open(name) {
      const { project } = await hosted.open()
      if (name === hosted.name || toReal(name) === hosted.folder) return project
      const message = `project: here it is ${hosted.name}; others are at /projects/<name>/mcp`
      throw new Failure('invalid_input', message, { details: { field: 'project' } })
    },
  }
}
