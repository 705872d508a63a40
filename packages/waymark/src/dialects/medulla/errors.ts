import { PRIORITY_NAMES } from '../../task/task.ts'
import type { Details, Failure } from '../../core/error.ts'
import type { Reason } from '../../core/reason.ts'
import type { DialectError } from '../dialect.ts'
import { fromForeign } from './foreign-value.ts'
import { lookUp } from '../../support/look-up.ts'

const CODES = {
  EntityNotFound: -32001,
  EntityTypeInvalid: -32002,
  ValidationFailed: -32003,
  RelationTargetNotFound: -32004,
  ResourceNotFound: -32005,
  InvalidResourceUri: -32006,
  StorageError: -32010,
  InternalError: -32011,
} as const

/** The spec's error for a Failure: a number, and the variant's name and fields in `data`. */
export function toErrorCode(failure: Failure, tool: string): DialectError {
  const { code, message, details } = failure
  switch (code) {
    case 'invalid_input':
      return fromViolation(message, details, tool)
    case 'not_found':
      return fromMissing(message, details, tool)
    case 'ambiguous_id':
      return validation('ValidationFailed', message, {
        field: details['field'],
        message,
        candidates: details['candidates'],
      })
    case 'conflict':
    case 'lease_lost':
      return validation('ValidationFailed', message, {
        message,
        ...details,
        field: toSpecField(details['field'] ?? fieldOf(details.reason, tool), tool),
      })
    case 'storage_full':
    case 'storage_corrupt':
    case 'storage_newer':
    case 'storage_read_only':
    case 'queued':
    case 'storage_unavailable':
    case 'not_initialised':
    case 'busy':
      return {
        code: CODES.StorageError,
        message,
        data: { error_type: 'StorageError', message, reason: code },
      }
    case 'forbidden':
      // With a field: a path that no caller may access, so an invalid argument. Without: the caller lacks permission.
      if (details['field'] === undefined) return internal(failure)
      return validation('ValidationFailed', message, { field: details['field'], message })
    case 'unauthenticated':
    case 'cancelled':
    case 'timeout':
    case 'internal':
      return internal(failure)
  }
}

function internal({ code, message }: Failure): DialectError {
  const data = { error_type: 'InternalError', message, reason: code }
  return { code: CODES.InternalError, message, data }
}

/** The argument in conflict, where the engine names none. */
function fieldOf(reason: Reason | undefined, tool: string): string {
  if (tool.startsWith('relation_')) return 'relation_type'
  return reason === 'cycle' ? 'relations' : 'id'
}

/** The spec's error for a resource that cannot be read. */
export function toResourceErrorCode(failure: Failure, uri: string): DialectError {
  const { code, message } = failure
  if (code === 'not_found') {
    const data = { error_type: 'ResourceNotFound', uri }
    return { code: CODES.ResourceNotFound, message, data }
  }
  if (code === 'invalid_input' || code === 'ambiguous_id') {
    const data = { error_type: 'InvalidResourceUri', uri, message }
    return { code: CODES.InvalidResourceUri, message, data }
  }
  return toErrorCode(failure, uri)
}

function fromViolation(message: string, details: Details, tool: string): DialectError {
  const { rule, valid, max, actual } = details
  // An unknown field keeps the caller's name for it, also where the spec has a rule for that name.
  if (rule === 'unknown_field')
    return validation('ValidationFailed', message, { field: details['field'], message, valid })
  const value = fromForeign(details['value'])
  const field = toSpecField(details['field'], tool)
  if (details['format'] === 'reference' && isName(value)) {
    const missing = fromMissing(message, { ...details, id: value }, tool)
    return { ...missing, data: { ...missing.data, field } }
  }
  if (rule === 'self_reference') {
    return {
      code: CODES.RelationTargetNotFound,
      message,
      data: { error_type: 'SelfReferentialRelation', id: details['id'] },
    }
  }
  if (field === 'type' && (rule === 'not_one_of' || rule === 'required')) {
    return {
      code: CODES.EntityTypeInvalid,
      message,
      data: { error_type: 'EntityTypeInvalid', field, provided: value ?? null, valid },
    }
  }
  if (field === 'title' && rule === 'required')
    return validation('TitleRequired', message, { field })
  if (field === 'title' && rule === 'too_long')
    return validation('TitleTooLong', message, { field, max, actual })
  if (field === 'content' && rule === 'too_large')
    return validation('ContentTooLarge', message, { field, max, actual })
  if (field === 'max_depth' && rule === 'too_large')
    return validation('MaxDepthExceeded', message, { field, max })
  if (field === 'priority') return fromPriority(String(details['field']), value)
  if (rule === 'not_one_of') return fromEnum(message, { field, value, valid })
  if (details['format'] === 'date')
    return validation('InvalidDateFormat', message, { field, value })
  if (details['format'] === 'url') return validation('InvalidUrl', message, { field, value })
  return validation('ValidationFailed', message, {
    field,
    message,
    ...(rule === 'wrong_type' && value !== undefined && { value }),
  })
}

/** The spec answers `nonexistent-id` with "not found": a text that cannot be a mistyped id is an unknown name. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim().length >= 8 && !/^[\da-f-]+$/i.test(value.trim())
}

/** Lists only names: the engine also accepts numbers, which the spec does not. */
function fromPriority(place: string, value: unknown): DialectError {
  const valid = PRIORITY_NAMES.toReversed()
  const message = `${place}: must be one of ${valid.join(', ')}`
  return validation('InvalidEnumValue', message, { field: 'priority', value, valid })
}

/** Leaves out a status that the spec does not have. */
function fromEnum(message: string, facts: Details): DialectError {
  const { valid } = facts
  if (!Array.isArray(valid) || !valid.includes('cancelled')) {
    return validation('InvalidEnumValue', message, facts)
  }
  return validation('InvalidEnumValue', message.replace(', cancelled', ''), {
    ...facts,
    valid: valid.filter((one) => one !== 'cancelled'),
  })
}

function fromMissing(message: string, details: Details, tool: string): DialectError {
  const { id, field } = details
  // The spec has a code of its own for the far end of an edge, and none for the edge itself.
  if (field === 'target' || (typeof field === 'string' && field.startsWith('relations.'))) {
    return {
      code: CODES.RelationTargetNotFound,
      message,
      data: {
        error_type: 'RelationTargetNotFound',
        target_id: id,
        field: toSpecField(field, tool),
      },
    }
  }
  return {
    code: CODES.EntityNotFound,
    message,
    data: { error_type: 'EntityNotFound', ...toMissing(details) },
  }
}

/** The spec has no error for a missing edge, so its ends name it. */
function toMissing({ kind, id, source, target, type }: Details): Details {
  if (kind !== 'relation') return { id }
  return { id: source, source_id: source, target_id: target, relation_type: type }
}

function validation(errorType: string, message: string, facts: Details): DialectError {
  return { code: CODES.ValidationFailed, message, data: { error_type: errorType, ...facts } }
}

const SPEC_FIELDS: Readonly<Record<string, string>> = {
  source: 'source_id',
  target: 'target_id',
  from: 'from_id',
  to: 'to_id',
  old: 'old_id',
  new: 'new_id',
}

/** The spec names a property by itself: `due_date`, not `properties.due_date`. */
function toSpecField(field: unknown, tool: string): string {
  if (typeof field !== 'string') return 'input'
  const name = field.replace(/^properties\./, '')
  if (name === 'type' && tool.startsWith('relation_')) return 'relation_type'
  return lookUp(SPEC_FIELDS, name) ?? name
}
