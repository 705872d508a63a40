import type { Logger } from './logger.ts'
import type { Store } from './store/store.ts'

/** Who is calling, as far as this process knows. `name` is what is written beside a change. */
export interface Agent {
  readonly name: string | null
  readonly surface: 'cli' | 'mcp' | 'http' | 'api'
}

/** What the caller may do. `scopes` is absent when whoever can start the process may do everything. */
export interface Access {
  readonly readOnly: boolean
  readonly scopes?: ReadonlySet<string>
}

/** Everything an operation may use. Nothing below a surface reads a clock, an id or a variable from elsewhere. */
export interface Context {
  readonly store: Store
  readonly agent: Agent
  readonly access: Access
  readonly logger: Logger
  readonly signal: AbortSignal
  now(): number
  newId(): string
  /** Runs `work` inside a trace span; without telemetry it only runs it. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>
}

export interface ContextOptions {
  readonly store: Store
  readonly agent: Agent
  readonly logger: Logger
  readonly access?: Access
  readonly signal?: AbortSignal
  readonly now?: () => number
  readonly newId?: () => string
}

export function createContext(options: ContextOptions): Context {
  return {
    store: options.store,
    agent: options.agent,
    logger: options.logger,
    access: options.access ?? { readOnly: false },
    signal: options.signal ?? new AbortController().signal,
    now: options.now ?? Date.now,
    newId: options.newId ?? (() => crypto.randomUUID()),
    span: (_name, work) => work(),
  }
}
