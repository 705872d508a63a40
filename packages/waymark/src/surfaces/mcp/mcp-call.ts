import { type CallContext, ERROR_CODES, ProtocolError } from '@waymark/baton'
import type { Config } from '../../core/project/config.ts'
import { type Context, type ContextOptions, createContext } from '../../core/context.ts'
import { timeIsUp } from '../../support/deadline.ts'
import type { Dialect, DialectError } from '../../dialects/dialect.ts'
import { Failure, type FailureCode, toFailureReport } from '../../core/error.ts'
import type { LogFields } from '../../support/logger.ts'
import { type StoredProject, workingTreeOf } from '../../core/project/project.ts'
import { accessOf, callerOf } from '../caller.ts'
import { remoteOf } from '../join/team-client.ts'
import type { Environment } from './client-host.ts'
import type { ClientLog } from './client-log.ts'
import type { AgentId } from '../../agent/agent.ts'

/** Options of the server: everything of a context that does not depend on the request. */
export interface McpOptions extends Omit<
  ContextOptions,
  | 'agent'
  | 'signal'
  | 'idempotencyKey'
  | 'maxBatchSize'
  | 'coordination'
  | 'maxArtifactBytes'
  | 'allowedSecrets'
  | 'progress'
  | 'tell'
> {
  readonly dialects: readonly [Dialect, ...Dialect[]]
  readonly config: Config
  readonly strictProtocol?: boolean
  /** How tools are listed whose spec has dots in their names; both spellings are always understood. */
  readonly toolNames?: 'dotted' | 'underscore'
  /** Projects that a request may name instead of the one that is served by default. */
  readonly projects?: { open(name: string): Promise<StoredProject> }
  /** The project that is served, when there was none yet as serving began: it is looked for with each request. */
  readonly home?: string
  /** The identity of the agent, where there is only one. */
  readonly connectionId: AgentId
  /** When that one connected. */
  readonly connectedAt: number
  /** The environment of a server that a host has started for itself. */
  readonly hostEnv?: Environment
  /** Told of each call of a tool. */
  readonly onCall?: () => void
  /** Where connections are recorded. */
  readonly clients?: ClientLog
  /** Aborted when the server closes; absent where it serves no clone that may have joined a team server. */
  readonly closing?: AbortSignal
}

interface Work<T> {
  /** What the request is about, for the log. */
  readonly subject: LogFields
  /** The request body, for the log level that includes it. */
  readonly body?: unknown
  /** Names this request and no other in the log and in errors, where a dialect promises such an id. */
  readonly requestId?: string | undefined
  /** The key that the caller gave to this one request. */
  readonly idempotencyKey?: string | undefined
  /** The project that it names. */
  readonly project?: string | undefined
  /** Takes notices about ended leases, where the answer has room for them. */
  readonly tell?: ContextOptions['tell']
  readonly run: (context: Context) => Promise<T>
}

/** Serves one request: gives `run` its context, and logs how it went. */
export async function serveCall<T>(
  options: McpOptions,
  call: CallContext,
  work: Work<T>,
): Promise<T> {
  const { subject, run } = work
  const named = { id: call.requestId, request_id: work.requestId }
  const logger = options.logger.with(named)
  const started = performance.now()
  // Hosts file what a server writes to standard error under errors, so by default it writes little.
  const level = options.dialects[0].logsCalls === true ? 'info' : 'debug'
  options.logger.with({ ...named, method: call.method, ...subject })[level]('started')
  if (options.config.logLevel === 'trace') {
    logger.trace('request', { body: await masked(work.body) })
  }
  using _ = call.limit(options.config.requestTimeoutMs, timeIsUp)
  try {
    const { signal } = call
    const project = await inProject(options, call, work)
    const result = await run(toContext(project, call, { logger, signal, ...work }))
    logger.trace('response', { body: result })
    logger[level]('completed', { duration_ms: Math.round(performance.now() - started) })
    return result
  } catch (thrown) {
    const error = isStoppedWith(call, thrown) ? SHUTTING_DOWN : thrown
    if (error instanceof Failure) {
      logger.warn('refused', { code: error.code, message: error.message })
    }
    throw error
  }
}

const SHUTTING_DOWN = new Failure('busy', 'the server is shutting down')

/** Whether the call was aborted by the shutdown and not by its caller: then the error is retryable. */
function isStoppedWith({ signal }: CallContext, error: unknown): boolean {
  const isStopped = signal.aborted && signal.reason instanceof ProtocolError
  return isStopped && error instanceof Failure && error.code === 'cancelled'
}

/** The request body with secrets redacted: it is logged before the secret scanner can refuse it. */
async function masked(body: unknown): Promise<unknown> {
  if (body === undefined) return body
  const { maskSecrets } = await import('../../secret/secrets.ts')
  return JSON.parse(maskSecrets(JSON.stringify(body)))
}

function toContext(
  options: McpOptions,
  call: CallContext,
  { logger, signal, idempotencyKey, tell }: Pick<Context, 'logger' | 'signal'> & Work<unknown>,
): Context {
  const { config, connectionId, connectedAt, hostEnv } = options
  // Without spreads, see `createContext`.
  return createContext({
    store: options.store,
    access: accessOf(options.access ?? { readOnly: false }, call.principal),
    agent: callerOf({ actor: config.actor, connectionId, connectedAt, hostEnv }, call),
    logger,
    signal,
    semantic: options.semantic,
    project: options.project,
    code: options.code,
    remote: options.remote,
    hosted: options.hosted,
    served: options.served,
    shell: options.shell,
    body: options.body,
    replyBytes: options.replyBytes,
    span: options.span,
    offload: options.offload,
    now: options.now,
    uptime: options.uptime,
    newId: options.newId,
    idempotencyKey,
    tell,
    progress: (done, total, message) => call.progress(done, total, message),
    maxBatchSize: config.maxBatchSize,
    coordination: config.coordination,
    allowedSecrets: config.allowedSecrets,
    maxArtifactBytes: config.maxArtifactBytes,
  })
}

/** The options with the project that the request names, instead of the default one. */
async function inProject(
  options: McpOptions,
  { meta }: CallContext,
  { project: named }: Work<unknown>,
): Promise<McpOptions> {
  const wanted = named ?? meta['waymark/project'] ?? options.home
  if (typeof wanted !== 'string' || options.projects === undefined) return options
  const project = await options.projects.open(wanted)
  const { state } = project
  // Of this project, not of the one that is served by default.
  const { remote } =
    state === undefined || options.hostEnv === undefined ? {} : remoteOf(state, options.hostEnv)
  return { ...options, store: project.store, remote, ...workingTreeOf(project, options.config) }
}

/**
 * The error for a Failure where there is no result to put it in: what the dialect's spec names, or else the protocol's
 * own. The modern revision keeps the specs' numbers to itself, so there they are data.
 */
export function toProtocolError(
  failure: Failure,
  coded: DialectError | undefined,
  { era }: CallContext,
): ProtocolError {
  if (coded !== undefined && era === 'legacy') {
    return new ProtocolError(coded.code, coded.message, coded.data)
  }
  const seed = coded === undefined ? {} : { ...coded.data, seed: { code: coded.code } }
  const code = PROTOCOL_CODES[failure.code] ?? ERROR_CODES.internalError
  return new ProtocolError(code, failure.message, { ...toFailureReport(failure), ...seed })
}

/** Failure codes with a JSON-RPC code of their own. */
const PROTOCOL_CODES: Partial<Record<FailureCode, number>> = {
  invalid_input: ERROR_CODES.invalidParams,
  ambiguous_id: ERROR_CODES.invalidParams,
  not_found: ERROR_CODES.invalidParams,
  busy: ERROR_CODES.busy,
  timeout: ERROR_CODES.requestTimeout,
}
