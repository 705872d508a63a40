import type * as z from 'zod'
import { Failure } from '../error.ts'
import type { Rule } from '../reason.ts'

export interface Violation {
  readonly rule: Rule
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Returns the checked value, or throws `invalid_input` naming the first field that breaks a rule and how to mend it. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: readonly PropertyKey[] = [],
): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue === undefined) throw new Failure('invalid_input', 'the input is not valid')
  throw toFailure(issue, at)
}

/** A Failure in the same form as a broken schema rule, for rules that span several fields. */
export function violation(
  field: string,
  rule: Rule,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): Failure {
  return new Failure('invalid_input', `${field}: ${message}`, {
    details: { field, rule, ...facts },
  })
}

function toFailure(issue: z.core.$ZodIssue, at: readonly PropertyKey[]): Failure {
  const { rule, message, facts } = toViolation(issue)
  const path = [...at, ...issue.path]
  const field = path.length === 0 ? 'input' : path.map(String).join('.')
  return violation(field, rule, message, facts)
}

function toViolation(issue: z.core.$ZodIssue): Violation {
  switch (issue.code) {
    case 'custom':
      return (
        (issue.params as Violation | undefined) ?? { rule: 'bad_format', message: issue.message }
      )
    case 'invalid_type':
      return issue.input === undefined
        ? { rule: 'required', message: 'is required' }
        : {
            rule: 'wrong_type',
            message: `must be ${article(issue.expected)}`,
            facts: { expected: issue.expected },
          }
    case 'invalid_value':
      return issue.input === undefined
        ? { rule: 'required', message: 'is required' }
        : {
            rule: 'not_one_of',
            message: `must be one of ${issue.values.map(String).join(', ')}`,
            facts: { value: issue.input, valid: issue.values },
          }
    case 'too_big':
      return issue.origin === 'array'
        ? {
            rule: 'too_many',
            message: `must have at most ${issue.maximum} items`,
            facts: { max: issue.maximum },
          }
        : {
            rule: 'too_large',
            message:
              issue.origin === 'string'
                ? `must have at most ${issue.maximum} characters`
                : `must be at most ${issue.maximum}`,
            facts: { max: issue.maximum },
          }
    case 'too_small':
      return {
        rule: 'too_small',
        message: toLeast(issue.origin, Number(issue.minimum)),
        facts: { min: issue.minimum },
      }
    case 'unrecognized_keys':
      return {
        rule: 'unknown_field',
        message: `has no field ${issue.keys.join(', ')}`,
        facts: { unknown: issue.keys },
      }
    case 'invalid_union':
      return { rule: 'bad_format', message: issue.message, facts: { value: issue.input } }
    case 'invalid_format':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
      return { rule: 'bad_format', message: issue.message }
  }
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

function toLeast(origin: string, minimum: number): string {
  if (origin !== 'string' && origin !== 'array') return `must be at least ${minimum}`
  if (minimum === 1) return 'must not be empty'
  return `must have at least ${minimum} ${origin === 'string' ? 'characters' : 'items'}`
}
