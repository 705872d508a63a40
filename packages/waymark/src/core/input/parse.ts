import type * as z from 'zod'
import { Failure } from '../error.ts'
import type { Rule } from '../reason.ts'
import { nearestNames } from '../../search/text/spelling.ts'

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

/** As `parse`, but rejects unknown fields. */
export function parseExact<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  refuseUnknown(schema, value)
  return parse(schema, value)
}

/**
 * Rejects a field that is not in the schema, at any depth: zod would drop it, and a misspelled field would be ignored
 * silently. Records and loose objects may hold any field.
 */
export function refuseUnknown(schema: z.ZodType, value: unknown, at: readonly string[] = []): void {
  const found = findUnknown(schema, value)
  if (found !== undefined) throw unknownField({ ...found, path: [...at, ...found.path] })
}

interface UnknownField {
  readonly path: readonly string[]
  /** The known fields. */
  readonly known: readonly string[]
}

/** Values of a wrong type are left to `parse`, and so the depth is that of the schema, however deep the value is. */
function findUnknown(schema: z.core.$ZodType, value: unknown): UnknownField | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return Array.isArray(value) ? undefined : findInObject(def, value)
  if (def.type === 'array') return Array.isArray(value) ? findInList(def, value) : undefined
  if (def.type === 'union') return findInUnion(def, value)
  if (def.type === 'pipe') return findUnknown(def.in, value)
  return 'innerType' in def ? findUnknown(def.innerType, value) : undefined
}

function findInObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
): UnknownField | undefined {
  const isLoose = catchall !== undefined && catchall._zod.def.type !== 'never'
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field === undefined && isLoose) continue
    if (field === undefined) return { path: [name.slice(0, 100)], known: Object.keys(shape) }
    const found = findUnknown(field, inner)
    if (found !== undefined) return { ...found, path: [name, ...found.path] }
  }
  return undefined
}

function findInList(
  { element }: z.core.$ZodArrayDef,
  values: readonly unknown[],
): UnknownField | undefined {
  for (const [at, value] of values.entries()) {
    const found = findUnknown(element, value)
    if (found !== undefined) return { ...found, path: [String(at), ...found.path] }
  }
  return undefined
}

/** One of the forms has to know every field. */
function findInUnion({ options }: z.core.$ZodUnionDef, value: object): UnknownField | undefined {
  const form = Array.isArray(value) ? 'array' : 'object'
  const found = options
    .filter(({ _zod }) => _zod.def.type === form)
    .map((option) => findUnknown(option, value))
  return found.includes(undefined) ? undefined : found[0]
}

function unknownField({ path, known }: UnknownField): Failure {
  return violation(path.join('.'), 'unknown_field', remedy(path.at(-1) ?? '', known), {
    valid: known,
  })
}

function remedy(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'is unknown; there are no fields here'
  const isOneOrMany = (each: string) => each === `${name}s` || name === `${each}s`
  const forms = known.filter(isOneOrMany)
  // A name as short as `id` is near to nothing else.
  const near =
    forms.length > 0
      ? forms
      : nearestNames(name, known, (each) => each.toLowerCase().replaceAll('_', ''))
  return near.length > 0
    ? `is unknown; did you mean ${near.join(' or ')}?`
    : `is unknown; the fields here are ${known.join(', ')}`
}

/** As deep as a message of the protocol may nest. */
const DEEPEST = 64

/** Refuses an input whose arrays and objects nest too deep: what walks it later would overflow the stack. */
export function refuseDeep(input: unknown): void {
  let level = [input].filter(isObject)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST)
      throw violation('input', 'bad_format', `nests deeper than ${DEEPEST} levels`)
    level = [...new Set(level.flatMap((value) => Object.values(value).filter(isObject)))]
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
