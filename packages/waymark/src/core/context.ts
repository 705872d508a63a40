import { SemanticIndex } from '../search/semantic/semantic-index.ts'
import { SUBWORD } from '../search/semantic/subword.ts'
import { toAgentName } from '../agent/agent.ts'
import type { AllowedSecrets } from '../secret/refuse-secrets.ts'
import type { Uptime } from './clock/clock.ts'
import type { CodeSource } from '../git/code-source.ts'
import type { Logger } from '../support/logger.ts'
import { MACHINE_CLOCK } from './clock/machine-clock.ts'
import { createProjectFiles, type ProjectFiles } from '../support/files/project-files.ts'
import type { Store } from './store/store.ts'

/** Who is calling, as far as this process knows. `name` is what is written beside a change. */
export interface Agent {
  readonly name: string | null
  readonly surface: 'cli' | 'mcp' | 'http' | 'api'
  /** The identity of this connection. Without it, whoever has the same name is the same agent. */
  readonly id?: string
  /** Whoever is behind the agent has proved who they are, by a token for example: only their own agents are theirs to use. */
  readonly owner?: string
  /** The name was proved too: it comes from a token, and not from the caller. */
  readonly proved?: boolean
  /** When its connection began, by the machine's clock. Broadcasts sent after that are delivered to it. */
  readonly connectedAt?: number
  /** Nobody said who is calling; the name was looked up, and others may have been given the same. */
  readonly assumed?: boolean
  /** The process that serves this agent alone: with it the agent ends, and another of its name may be its successor. */
  readonly process?: ServingProcess
}

interface ServingProcess {
  /** As `process-identity.ts` names it. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** A call that its sender may repeat when the answer gets lost: it has its effect once. */
export interface RepeatableCall {
  readonly operation: string
  /** Whose call it is: a key means something only together with its agent. */
  readonly agentId: string
  /** As the sender chose it. */
  readonly key: string
  readonly requestHash: string
  /** How an agent is known that is as old as its process, so that its successor can repeat its calls. */
  readonly host?: { readonly name: string; readonly process: ServingProcess }
}

/** The project that is worked on, as far as it is more than its store. */
export interface ProjectInfo {
  /** Top folder of the working tree. */
  readonly root: string
  /** Folder of the store. */
  readonly state?: string
  readonly description?: string
}

/** Where a command was typed: its folder and its pipes. Whoever sits there may name any file. */
export interface Shell {
  readonly folder: string
  input(): AsyncIterable<Uint8Array>
  output(bytes: AsyncIterable<Uint8Array>): Promise<void>
}

interface CallBody {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  /** How many bytes were announced. */
  readonly size?: number
}

/** What the caller may do. `scopes` is absent when whoever can start the process may do everything. */
export interface Access {
  readonly readOnly: boolean
  readonly scopes?: ReadonlySet<string>
}

/** Runs an operation outside the event loop of this process, and answers its output. */
export type Offload = (context: Context, operation: string, input: unknown) => Promise<unknown>

/** Everything an operation may use. Nothing below a surface reads a clock, an id or a variable from elsewhere. */
export interface Context {
  readonly store: Store
  readonly agent: Agent
  readonly access: Access
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Finds texts by what they mean. */
  readonly semantic: SemanticIndex
  /** How many steps one call may ask for. */
  readonly maxBatchSize: number
  /** What looks like a secret and may be stored all the same. */
  readonly allowedSecrets: AllowedSecrets
  /** Absent where there is a store but no working tree. */
  readonly project?: ProjectInfo
  readonly files?: ProjectFiles
  /** The repository whose code is annotated. Absent where there is a store but no working tree. */
  readonly code?: CodeSource
  /** Absent for callers from elsewhere: they reach the files of the project and no others. */
  readonly shell?: Shell
  /** What came with the call beside its input. */
  readonly body?: CallBody
  /** The largest content that is stored, in bytes. */
  readonly maxArtifactBytes: number
  /** The key the caller gave to this one call. */
  readonly idempotencyKey?: string
  /** The call itself, once it is known to be one that may be repeated. */
  readonly repeatable?: RepeatableCall
  /** The caller's specification says that properties which a type does not have are ignored. */
  readonly ignoresUnknownProperties?: true
  /** How operations are run that would block the event loop. Absent where it serves no other caller. */
  readonly offload?: Offload
  now(): number
  /** How long the machine has been running; absent where the time is not the machine's. */
  uptime?(): Uptime | undefined
  /** By how many milliseconds the process clock is ahead of the machine's; `now` is the machine's. */
  clockError(): number
  newId(): string
  /** Tells a caller who asked for it how far the call has come. */
  progress(done: number, total: number, message: string): void
  /** Runs `work` inside a trace span; without telemetry it only runs it. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>
}

export interface ContextOptions {
  readonly store: Store
  readonly agent: Agent
  readonly logger: Logger
  readonly access?: Access
  readonly signal?: AbortSignal
  readonly semantic?: SemanticIndex
  readonly maxBatchSize?: number
  readonly allowedSecrets?: AllowedSecrets
  readonly project?: ProjectInfo
  readonly code?: CodeSource
  readonly shell?: Shell
  readonly body?: CallBody
  readonly maxArtifactBytes?: number
  readonly idempotencyKey?: string | undefined
  readonly progress?: Context['progress']
  readonly span?: Context['span']
  readonly offload?: Offload
  /** Instead of the machine's clock. */
  readonly now?: () => number
  readonly uptime?: () => Uptime | undefined
  readonly newId?: () => string
}

export function createContext(options: ContextOptions): Context {
  return {
    store: options.store,
    agent: { ...options.agent, name: options.agent.name && toAgentName(options.agent.name) },
    logger: options.logger,
    access: options.access ?? { readOnly: false },
    signal: options.signal ?? new AbortController().signal,
    semantic: options.semantic ?? new SemanticIndex(SUBWORD),
    maxBatchSize: options.maxBatchSize ?? 100,
    allowedSecrets: options.allowedSecrets ?? new Set(),
    ...(options.project !== undefined && {
      project: options.project,
      files: createProjectFiles(options.project.root, options.project.state),
    }),
    ...(options.code !== undefined && { code: options.code }),
    ...(options.shell !== undefined && { shell: options.shell }),
    ...(options.body !== undefined && { body: options.body }),
    maxArtifactBytes: options.maxArtifactBytes ?? 2 ** 30,
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    ...(options.offload !== undefined && { offload: options.offload }),
    ...clockOf(options),
    newId: options.newId ?? (() => crypto.randomUUID()),
    progress: options.progress ?? (() => {}),
    span: options.span ?? ((_name, work) => work()),
  }
}

function clockOf({ now, uptime }: ContextOptions): Pick<Context, 'now' | 'uptime' | 'clockError'> {
  if (now !== undefined) {
    return { now, ...(uptime !== undefined && { uptime }), clockError: () => 0 }
  }
  return {
    now: () => MACHINE_CLOCK.now(),
    uptime: uptime ?? (() => MACHINE_CLOCK.uptime()),
    clockError: () => MACHINE_CLOCK.error,
  }
}
