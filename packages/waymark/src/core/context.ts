import type { ContentStore } from '@waymark/cas'
import type { SharedContents } from '../artifact/s3/s3-contents.ts'
import { SemanticIndex } from '../search/semantic/semantic-index.ts'
import { SUBWORD } from '../search/semantic/subword.ts'
import { toAgentName, type AgentId } from '../agent/agent.ts'
import type { AllowedSecrets } from '../secret/secrets.ts'
import type { Uptime } from './clock/clock.ts'
import type { Coordination } from './project/coordination.ts'
import type { CodeSource } from '../git/code-source.ts'
import type { Logger } from '../support/logger.ts'
import { MACHINE_CLOCK } from './clock/machine-clock.ts'
import type { Remote } from './remote.ts'
import type { ReadStore, Store } from './store/store.ts'
import { REPLY_BYTES } from '../support/text/reply-budget.ts'
import type { Notice } from './notice.ts'
import { createUpkeep, type Upkeep } from './upkeep/upkeep.ts'

/** The caller, as far as this process knows. `name` is recorded as the author of changes. */
export interface Agent {
  readonly name: string | null
  readonly surface: 'cli' | 'mcp' | 'http' | 'api' | 'page'
  /** The identity of this connection. Without it, callers of the same name are one agent. */
  readonly id?: AgentId
  /** The authenticated principal, by its token for example. It can act only as its own agents. */
  readonly owner?: string
  /** The name comes from a verified token and not from the caller. */
  readonly proved?: boolean
  /** When its connection began, by the machine's clock. Broadcasts sent after that are delivered to it. */
  readonly connectedAt?: number
  /** The caller gave no name; this one was looked up, and other callers may share it. */
  readonly assumed?: boolean
  /** Names the session of the caller: its connection over stdio, or its session over HTTP. See `identifyCaller`. */
  readonly session?: string
  /** The program whose agent runs this command, known from its environment. */
  readonly host?: string
  /** False for a hook that runs before its agent is known: reading does not make it join. */
  readonly joins?: false
  /** The process that serves this agent alone. The agent ends with it, and one of the same name may succeed it. */
  readonly process?: ServingProcess
}

interface ServingProcess {
  /** As `process-identity.ts` names it. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** A call with an idempotency key: retries get the stored response. */
export interface IdempotentCall {
  readonly operation: string
  /** The agent of the call: keys are unique per agent. */
  readonly agentId: AgentId
  /** As the sender chose it. */
  readonly key: string
  readonly requestHash: string
  /** Name and process of an agent that ends with its process, so that its successor can retry its calls. */
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

/** A project that is kept in a database alone. */
export interface HostedInfo {
  readonly name: string
  /** Opens the bytes of its artifacts, with the size of the largest; absent where the server has none. */
  readonly contents?: (limit: number) => ContentStore | SharedContents
  /** Throws where an operation would add something beyond a quota. */
  readonly admit?: (operation: string, input: unknown) => Promise<void>
}

/** The folder and the pipes of a command line. Its user may name any file. */
export interface Shell {
  readonly folder: string
  input(): AsyncIterable<Uint8Array>
  output(bytes: AsyncIterable<Uint8Array>): Promise<void>
}

/** A project of a server. */
export interface ServedProject {
  readonly name: string
  open(): Promise<ReadStore>
}

interface CallBody {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  /** How many bytes were announced. */
  readonly size?: number
  /** The hash of bytes that the client has sent to the storage itself. */
  readonly sent?: string
}

/** What the caller may do. `scopes` is absent where there is no authorization, as on the command line. */
export interface Access {
  readonly readOnly: boolean
  readonly scopes?: ReadonlySet<string>
}

/** Runs an operation in a worker thread and returns its output. */
export type Offload = (context: Context, operation: string, input: unknown) => Promise<unknown>

/**
 * Everything that an operation which only reads may use. Its store has no write methods. Nothing below a surface reads a
 * clock, an id or a variable from elsewhere.
 */
export interface ReadContext {
  readonly store: ReadStore
  /** The writes that a read may cause. */
  readonly upkeep: Upkeep
  readonly agent: Agent
  readonly access: Access
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Semantic search. */
  readonly semantic: SemanticIndex
  /** Most operations in one batch. */
  readonly maxBatchSize: number
  /** Who grants claims. */
  readonly coordination: Coordination
  /** Allowlist of the secret scanner. */
  readonly allowedSecrets: AllowedSecrets
  /** Absent where there is a store but no working tree. */
  readonly project?: ProjectInfo
  /** The repository whose code is annotated. Absent where there is a store but no working tree. */
  readonly code?: CodeSource
  /** The team server that has the tasks and knowledge of this clone. */
  readonly remote?: Remote
  /** The project of a team server, which has a store and no working tree. */
  readonly hosted?: HostedInfo
  /** Finds the projects that this server serves to the caller. Absent where it is one alone. */
  readonly served?: () => Promise<readonly ServedProject[]>
  /** Absent for remote callers, who can access only files of the project. */
  readonly shell?: Shell
  /** The request body, for uploads. */
  readonly body?: CallBody
  /** The largest content that is stored, in bytes. */
  readonly maxArtifactBytes: number
  /** The largest answer in bytes, roughly; Infinity where it is not read by a model. */
  readonly replyBytes: number
  /** The idempotency key of this call. */
  readonly idempotencyKey?: string
  /** Set for a call with an idempotency key. */
  readonly repeatable?: IdempotentCall
  /** The caller's specification says that properties which a type does not have are ignored. */
  readonly ignoresUnknownProperties?: true
  /** Runs operations that would block the event loop. Absent where the process has a single caller. */
  readonly offload?: Offload
  /** Tells the caller something beside the answer. Absent where an answer has no room for it. */
  readonly tell?: (notice: Notice) => void
  now(): number
  /** The time was given, as in tests, and is not that of a machine. */
  readonly isFixed?: boolean
  /** How long the machine has been running; absent where the time is not the machine's. */
  uptime?(): Uptime | undefined
  /** By how many milliseconds the process clock is ahead of the machine's; `now` is the machine's. */
  clockError(): number
  newId(): string
  /** Reports progress to a caller that asked for it. */
  progress(done: number, total: number, message: string): void
  /** Runs `work` inside a trace span; without telemetry it only runs it. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Everything that an operation which writes may use. */
export interface Context extends ReadContext {
  readonly store: Store
}

export interface ContextOptions {
  readonly store: Store
  readonly agent: Agent
  readonly logger: Logger
  readonly access?: Access | undefined
  readonly signal?: AbortSignal | undefined
  readonly semantic?: SemanticIndex | undefined
  readonly maxBatchSize?: number | undefined
  readonly coordination?: Coordination | undefined
  readonly allowedSecrets?: AllowedSecrets | undefined
  readonly project?: ProjectInfo | undefined
  readonly code?: CodeSource | undefined
  readonly remote?: Remote | undefined
  readonly hosted?: HostedInfo | undefined
  readonly served?: (() => Promise<readonly ServedProject[]>) | undefined
  readonly shell?: Shell | undefined
  readonly body?: CallBody | undefined
  readonly maxArtifactBytes?: number | undefined
  /** By default what a model is given. */
  readonly replyBytes?: number | undefined
  readonly idempotencyKey?: string | undefined
  readonly progress?: Context['progress'] | undefined
  readonly tell?: ((notice: Notice) => void) | undefined
  readonly span?: Context['span'] | undefined
  readonly offload?: Offload | undefined
  /** Instead of the machine's clock. */
  readonly now?: (() => number) | undefined
  readonly uptime?: (() => Uptime | undefined) | undefined
  readonly newId?: (() => string) | undefined
}

type Building = { -readonly [Name in keyof Context]: Context[Name] }

/**
 * Field by field: each call has a context, and to spread large objects takes V8 as long as a statement of SQL and leaves
 * garbage that outlives the call.
 */
export function createContext(options: ContextOptions): Context {
  const { agent } = options
  const context: Building = {
    store: options.store,
    agent: { ...agent, name: agent.name && toAgentName(agent.name) },
    logger: options.logger,
    access: options.access ?? { readOnly: false },
    signal: options.signal ?? new AbortController().signal,
    semantic: options.semantic ?? new SemanticIndex(SUBWORD),
    maxBatchSize: options.maxBatchSize ?? 100,
    coordination: options.coordination ?? 'local',
    allowedSecrets: options.allowedSecrets ?? new Set(),
    maxArtifactBytes: options.maxArtifactBytes ?? 2 ** 30,
    replyBytes: options.replyBytes ?? REPLY_BYTES,
    now: options.now ?? machineNow,
    clockError: options.now === undefined ? machineClockError : noClockError,
    newId: options.newId ?? newId,
    progress: options.progress ?? noProgress,
    span: options.span ?? withoutSpan,
    upkeep: createUpkeep(() => context),
  }
  const uptime = options.uptime ?? (options.now === undefined ? machineUptime : undefined)
  if (uptime !== undefined) context.uptime = uptime
  if (options.now !== undefined) context.isFixed = true
  if (options.project !== undefined) context.project = options.project
  if (options.code !== undefined) context.code = options.code
  if (options.remote !== undefined) context.remote = options.remote
  if (options.hosted !== undefined) context.hosted = options.hosted
  if (options.served !== undefined) context.served = options.served
  if (options.shell !== undefined) context.shell = options.shell
  if (options.body !== undefined) context.body = options.body
  if (options.idempotencyKey !== undefined) context.idempotencyKey = options.idempotencyKey
  if (options.offload !== undefined) context.offload = options.offload
  if (options.tell !== undefined) context.tell = options.tell
  return context
}

const machineNow = (): number => MACHINE_CLOCK.now()
const machineUptime = (): Uptime | undefined => MACHINE_CLOCK.uptime()
const machineClockError = (): number => MACHINE_CLOCK.error
const noClockError = (): number => 0
const newId = (): string => crypto.randomUUID()
const noProgress = (): void => {}
const withoutSpan: Context['span'] = (_name, work) => work()
