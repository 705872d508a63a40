import type { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'

/** The refusal of a text that should be JSON, with what the parser says about it. */
export function notJson(field: string, cause: unknown, facts = {}): Failure {
  const why = cause instanceof Error ? cause.message : String(cause)
  return violation(field, 'bad_format', `must be JSON: ${why}`, facts)
}
