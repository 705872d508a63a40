import type { CallToolResult } from '@waymark/baton'
import { type Details, type Failure, FAILURES, toFailureReport } from '../../core/error.ts'
import type { Reason } from '../../core/reason.ts'
import type { ErrorPlace } from '../dialect.ts'
import { toSpecStatus } from './status.ts'
import { lookUp } from '../../support/look-up.ts'
import { quote } from '../../support/text/visible-text.ts'

/** An error as the spec spells it. Two tools answer with `ok: false` instead, because their callers branch on it. */
export function toErrorResult(failure: Failure, { tool, requestId }: ErrorPlace): CallToolResult {
  return toAnswer(failure, tool) ?? toError(failure, { tool, requestId })
}

function toAnswer({ code, details, message }: Failure, tool: string): CallToolResult | undefined {
  if (tool === 'lodestar.task.claim' && details.reason === 'held') {
    const { claimed_by, expires_at } = details
    const conflict = { claimedByAgentId: claimed_by, expiresAt: expires_at }
    return {
      content: [{ type: 'text', text: message }],
      structuredContent: { ok: false, conflict, warnings: [], unreadCount: 0 },
    }
  }
  if (tool === 'lodestar.agent.heartbeat' && code === 'not_found') {
    return {
      content: [{ type: 'text', text: message }],
      structuredContent: {
        ok: false,
        warnings: [{ type: 'AGENT_NOT_REGISTERED', message: 'agent unknown; join again' }],
      },
    }
  }
  return undefined
}

function toError(failure: Failure, { tool, requestId }: ErrorPlace): CallToolResult {
  const { code } = failure
  const errorCode = toErrorCode(failure)
  const message = toMessage(failure, tool)
  const action = ACTIONS[errorCode]
  const details = toSpecDetails(failure.details, tool)
  const { status } = details
  return {
    isError: true,
    content: [{ type: 'text', text: `${errorCode}: ${message}` }],
    structuredContent: {
      error: message,
      error_code: errorCode,
      retriable: FAILURES[code].retryable,
      details: { ...details, request_id: requestId },
      ...(action !== undefined && { suggested_action: action }),
      ...(typeof status === 'string' && { current_state: { status } }),
    },
  }
}

/** Engine field → field of the spec. */
const SPEC_FIELDS: Readonly<Record<string, string>> = {
  id: 'taskId',
  task: 'taskId',
  agent_id: 'agentId',
  to: 'toAgentId',
  after_id: 'sinceId',
  ids: 'messageIds',
  since: 'sinceCursor',
  types: 'filterTypes',
  seconds: 'ttlSeconds',
  max_priority: 'maxPriority',
  max_chars: 'maxChars',
  project: 'repo',
}

function toSpecField(field: string, tool: string): string {
  const [name = '', ...path] = field.split('.')
  if (name === 'agent_id' && tool === 'lodestar.message.send') return 'fromAgentId'
  return [lookUp(SPEC_FIELDS, name) ?? name, ...path].join('.')
}

function toMessage(failure: Failure, tool: string): string {
  const { message } = toFailureReport(failure)
  const { field, value } = failure.details
  if (typeof field !== 'string' || isUnknownField(failure.details)) return message
  const name = toSpecField(field, tool)
  if (isUnknownTask(failure)) return `${name}: there is no task ${quote(String(value))}`
  return message.startsWith(`${field}:`) ? `${name}${message.slice(field.length)}` : message
}

/** Its name is the caller's own, also where the engine has a field of that name. */
function isUnknownField({ rule }: Details): boolean {
  return rule === 'unknown_field'
}

/** Any text may be the key of a task, so one that has not the form of an id is merely unknown. */
function isUnknownTask({ code, details: { field, rule, value } }: Failure): boolean {
  const isText = typeof value === 'string' && value !== ''
  const isTask = field === 'id' || field === 'task'
  return code === 'invalid_input' && rule === 'bad_format' && isText && isTask
}

function toErrorCode(failure: Failure): string {
  const { code, details } = failure
  if (isUnknownTask(failure)) return 'TASK_NOT_FOUND'
  switch (code) {
    case 'invalid_input':
      return fromField(details)
    case 'ambiguous_id':
      return details['field'] === 'to' ? 'INVALID_AGENT_ID' : 'INVALID_TASK_ID'
    case 'not_found':
      return fromMissing(details)
    case 'conflict':
      return fromConflict(details)
    case 'lease_lost':
      return details['agent_id'] === undefined ? 'NO_ACTIVE_LEASE' : 'LEASE_MISMATCH'
    case 'unauthenticated':
    case 'forbidden':
    case 'busy':
    case 'cancelled':
    case 'timeout':
    case 'internal':
    case 'not_initialised':
    case 'storage_corrupt':
    case 'storage_full':
    case 'storage_newer':
    case 'storage_read_only':
    case 'queued':
    case 'storage_unavailable':
      return code.toUpperCase()
  }
}

const FIELD_CODES: Readonly<Record<string, string>> = {
  agentId: 'INVALID_AGENT_ID',
  agent_id: 'INVALID_AGENT_ID',
  fromAgentId: 'INVALID_AGENT_ID',
  toAgentId: 'INVALID_AGENT_ID',
  taskId: 'INVALID_TASK_ID',
  task: 'INVALID_TASK_ID',
  id: 'INVALID_TASK_ID',
  body: 'INVALID_BODY',
  severity: 'INVALID_SEVERITY',
  cursor: 'INVALID_CURSOR',
  sinceCursor: 'INVALID_CURSOR',
  messageIds: 'INVALID_MESSAGE_IDS',
  ids: 'INVALID_MESSAGE_IDS',
}

function fromField(details: Details): string {
  const { field, rule } = details
  if (isUnknownField(details)) return 'INVALID_INPUT'
  const name = String(field).split('.')[0] ?? ''
  if (name === 'body' && rule === 'too_large') return 'BODY_TOO_LARGE'
  if (name === 'limit') return rule === 'too_large' ? 'LIMIT_TOO_LARGE' : 'INVALID_LIMIT'
  return lookUp(FIELD_CODES, name) ?? 'INVALID_INPUT'
}

function fromMissing({ kind, field }: Details): string {
  if (kind === 'agent') return field === 'to' ? 'AGENT_NOT_FOUND' : 'AGENT_NOT_REGISTERED'
  return kind === 'message' ? 'MESSAGE_NOT_FOUND' : 'TASK_NOT_FOUND'
}

const CONFLICT_CODES = {
  held: 'TASK_ALREADY_CLAIMED',
  not_done: 'TASK_NOT_DONE',
  blocked: 'TASK_NOT_CLAIMABLE',
  closed: 'TASK_NOT_CLAIMABLE',
  deferred: 'TASK_NOT_CLAIMABLE',
  open_parts: 'TASK_NOT_CLAIMABLE',
  parked: 'TASK_NOT_CLAIMABLE',
} as const satisfies Partial<Record<Reason, string>>

function fromConflict({ reason }: Details): string {
  return isIn(CONFLICT_CODES, reason) ? CONFLICT_CODES[reason] : 'CONFLICT'
}

function isIn<Table extends object>(table: Table, name: unknown): name is keyof Table {
  return typeof name === 'string' && Object.hasOwn(table, name)
}

const ACTIONS: Readonly<Record<string, string>> = {
  AGENT_NOT_REGISTERED: 'call lodestar.agent.join and use the agentId it returns',
  TASK_NOT_CLAIMABLE: 'call lodestar.task.next for tasks that can be claimed',
  TASK_ALREADY_CLAIMED: 'choose another task, or wait until the lease expires',
  NO_ACTIVE_LEASE: 'claim the task first',
  LEASE_MISMATCH: 'another agent holds the task; call lodestar.task.get to see who',
  TASK_NOT_DONE: 'call lodestar.task.done first',
  TASK_NOT_FOUND: 'call lodestar.task.list for valid task ids',
}

function toSpecDetails(details: Details, tool: string): Details {
  if (isUnknownField(details)) return details
  const { blockers, field, status, ...rest } = details
  return {
    ...rest,
    ...(typeof field === 'string' && { field: toSpecField(field, tool) }),
    ...(typeof status === 'string' && { status: toSpecStatus(status) }),
    ...(Array.isArray(blockers) && {
      unmet_dependencies: blockers.map(({ id, key }: { id: string; key?: string }) => key ?? id),
    }),
  }
}
