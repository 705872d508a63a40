import type { CallToolResult } from '@waymark/baton'
import type { Failure, FailureCode } from '../../core/error.ts'
import type { ErrorPlace } from '../dialect.ts'
import { STATUSES } from './shapes.ts'

const CODES = {
  invalid_input: 'validation_error',
  ambiguous_id: 'validation_error',
  unauthenticated: 'authentication_error',
  forbidden: 'authorization_error',
  not_found: 'task_error',
  conflict: 'task_error',
  lease_lost: 'task_error',
  timeout: 'timeout_error',
  cancelled: 'timeout_error',
  busy: 'concurrency_error',
  internal: 'internal_error',
  storage_corrupt: 'internal_error',
  storage_newer: 'internal_error',
  storage_read_only: 'internal_error',
  storage_unavailable: 'internal_error',
  queued: 'internal_error',
  storage_full: 'internal_error',
  not_initialised: 'internal_error',
} as const satisfies Record<FailureCode, string>

/** An error in the spec's format: a code, suggestions, and the request id of the log. */
export function toErrorResult(failure: Failure, { requestId }: ErrorPlace): CallToolResult {
  const { code, details } = failure
  // An unknown field keeps the caller's name for it.
  const isUnknown = details.rule === 'unknown_field'
  const message = isUnknown ? failure.message : toSpecWords(failure.message)
  const suggestions = suggest(failure)
  const { index } = details
  return {
    isError: true,
    content: [{ type: 'text', text: `[${requestId}] ${message}` }],
    structuredContent: {
      error: {
        code: CODES[code],
        message,
        request_id: requestId,
        ...(typeof index === 'number' && { index }),
        ...(suggestions.length > 0 && { suggestions }),
      },
    },
  }
}

function suggest({ code, details }: Failure): string[] {
  const { rule, valid, format, field = '', candidates } = details
  const words = toSpecWords(String(field)).split('.')
  const name = words.findLast((word) => !/^\d+$/.test(word)) ?? ''
  if (Array.isArray(valid)) {
    const what = rule === 'unknown_field' ? 'fields' : `values for ${name}`
    return [`valid ${what}: ${valid.join(', ')}`]
  }
  if (format === 'date') return ['write dates as YYYY-MM-DD, for example 2026-11-15']
  if (format === 'date-time') return ['write times as 2026-11-15T09:00:00Z, or a date alone']
  if (Array.isArray(candidates)) return ['use the whole task_id']
  if (code === 'not_found' || name === 'task_id' || name === 'task_ids') {
    return ['find valid task ids with search_tasks']
  }
  if (name === 'status') return [`valid values for status: ${STATUSES.join(', ')}`]
  if (name === 'priority') return ['priority is a whole number from 1 to 5; 5 is the most urgent']
  return []
}

const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/\bedits\b/g, 'operations'],
  [/(?<=\boperations\.\d+\.)id\b/g, 'task_id'],
  [/\bids\b/g, 'task_ids'],
  [/(?<=\b(?:tasks|operations)\.\d+\.)title\b/g, 'name'],
  [/(?<=\b(?:tasks|operations)\.\d+\.)content\b/g, 'details'],
  // The status pending is reached by opening a task again.
  [/(?<=\boperations\.\d+\.)reopen\b/g, 'status'],
  [/(?<=\btasks\.\d+\.)depends_on\b/g, 'blocked_by'],
  [/(?<=\btasks\.\d+\.)parent\b/g, 'subtask_of'],
  [/^text\b/g, 'search'],
]

/** The fields of the engine under the names that the caller used. */
function toSpecWords(text: string): string {
  return FIELDS.reduce((words, [engine, spec]) => words.replaceAll(engine, spec), text)
}
