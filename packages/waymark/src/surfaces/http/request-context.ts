import type { AdmittedRequest, HttpAnswer } from '@waymark/baton/http'
import { type Access, type Agent, type Context, createContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import type { Logger } from '../../support/logger.ts'
import type { Operation } from '../../core/operation.ts'
import { workingTreeOf } from '../../core/project/project.ts'
import { requiredScopes } from '../../core/scopes.ts'
import { offload } from '../../core/worker/offload.ts'
import { accessOf, ownedAgent } from '../caller.ts'
import { PagePrincipal } from '../page/page-principal.ts'
import type { Authentication } from './authentication.ts'
import type { Engine, HostedProject } from '../serve/hosting/hosted-project.ts'
import { toFailureAnswer } from './answer/json-answer.ts'

/** An authenticated request to a route of a project. */
export interface RouteCall extends AdmittedRequest {
  readonly project: HostedProject
  /** Finds all that the caller may see. */
  readonly projects?: () => Promise<readonly HostedProject[]>
  readonly authentication: Pick<Authentication, 'authorize'>
  readonly access: Access
  readonly logger: Logger
  readonly span: Context['span']
  /** Aborted with a Failure when the server cannot wait any longer. */
  readonly stopping: AbortSignal
}

/** The context of an HTTP request. It is aborted when the client disconnects or a signal of `patience` fires. */
export async function createRequestContext(
  { project, config, semantic, hosted, joined, userName }: Engine,
  { request, reply, principal, access, logger, span, projects }: RouteCall,
  ...patience: readonly AbortSignal[]
): Promise<Context> {
  const gone = new AbortController()
  reply.onDisconnect(() => gone.abort())
  return createContext({
    store: project.store,
    ...workingTreeOf(project, config),
    ...(hosted !== undefined && { hosted }),
    ...joined?.(),
    semantic,
    ...(projects !== undefined && {
      served: async () =>
        (await projects()).map((one) => ({
          name: one.name,
          open: async () => (await one.open()).project.store.reader,
        })),
    }),
    logger,
    access: accessOf(limitTo(access, principal), principal),
    agent: actsAsPerson(hosted, request, principal)
      ? personOf(principal)
      : await callerOf(principal, request.header('waymark-agent'), userName),
    signal: AbortSignal.any([gone.signal, ...patience]),
    maxBatchSize: config.maxBatchSize,
    coordination: config.coordination,
    maxArtifactBytes: config.maxArtifactBytes,
    replyBytes: Infinity,
    allowedSecrets: config.allowedSecrets,
    span,
    offload,
    idempotencyKey: request.header('idempotency-key') ?? undefined,
  })
}

/**
 * The person in the page; else the agent is the owner and the name in the header. Without a name, all requests of an
 * owner are one agent.
 */
async function callerOf(
  principal: AdmittedRequest['principal'],
  header: string | null,
  userName: Engine['userName'],
): Promise<Agent> {
  if (principal instanceof PagePrincipal)
    return { surface: 'page', name: await userName(), assumed: true }
  const name = header?.trim().slice(0, 100) ?? null
  return { surface: 'http', ...ownedAgent(principal, { name, part: `agent ${name ?? ''}` }) }
}

/**
 * Whether a person who looks after a project of a team calls, at the command line or in the page of a clone. Their
 * token may do all that a person may, so that nothing is gained by saying so.
 */
function actsAsPerson(
  hosted: Engine['hosted'],
  request: AdmittedRequest['request'],
  { scopes }: AdmittedRequest['principal'],
): boolean {
  if (hosted === undefined || request.header('waymark-person') !== 'true') return false
  return scopes?.includes('projects:write') === true
}

function personOf(principal: AdmittedRequest['principal']): Agent {
  const { name } = ownedAgent(principal, { name: null, part: '' })
  return { surface: 'page', name, assumed: true }
}

function limitTo(access: Access, principal: AdmittedRequest['principal']): Access {
  const isReadOnly = principal instanceof PagePrincipal && principal.isReadOnly
  return isReadOnly ? { ...access, readOnly: true } : access
}

/** The refusal for a token that lacks the scopes of an operation. */
export function toDenial(
  { authentication, principal }: RouteCall,
  operation: Pick<Operation, 'name' | 'effect' | 'areasBy'>,
  input?: unknown,
): HttpAnswer | undefined {
  const scopes = requiredScopes(operation, input)
  const denial = authentication.authorize(principal, scopes)
  if (denial === undefined) return undefined
  const failure = new Failure('forbidden', denial.message, {
    details: { reason: 'insufficient_scope', scopes },
  })
  return toFailureAnswer(failure, { headers: denial.headers })
}
