import type { Operation } from '../../../core/operation.ts'
import { notJson } from '../../not-json.ts'
import { violation } from '../../../core/input/parse.ts'
import { type JsonSchema, toJsonSchema } from '../../../core/input/schema.ts'
import { singular } from '../../words.ts'

/** One field of an operation's input, as the command line offers it. */
export interface Flag {
  /** Where the value goes in the input: `['title']`, `['properties', 'due_date']`. */
  readonly path: readonly string[]
  /** Long name without dashes: `due-date`. */
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'number_or_text' | 'pair' | 'json'
  /** The value is a calendar date or a point in time. */
  readonly time?: 'date' | 'time'
  /** Whether the word `null` stands for nothing at all. */
  readonly nullable?: true
  readonly repeatable: boolean
  readonly required: boolean
  readonly description: string
  readonly choices?: readonly string[]
  /** A boolean that is true unless it is switched off: offered as `--no-push`. */
  readonly isOnByDefault?: true
  /** A boolean with three states (true, false, absent): offered as `--resolved` and `--no-resolved`. */
  readonly hasOpposite?: true
  /** The number of a message, which is printed as `m3`. */
  readonly isMessage?: true
  /** What switching it off does, of a boolean that can be. */
  readonly offText?: string
  /** What the operation does without it, when that can be said in a word. */
  readonly defaultText?: string
}

/** Flags in the order of the schema; the fields of a nested object become flags of their own. */
export function flagsOf({ name, input, off = {} }: Operation): readonly Flag[] {
  return fieldsOf(toJsonSchema(input), []).map((flag) => {
    const offText = off[flag.path[0] ?? '']
    const isMessage = name.startsWith('message.') && MESSAGE_FIELDS.has(flag.name)
    return { ...flag, ...(offText !== undefined && { offText }), ...(isMessage && { isMessage }) }
  })
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['id', 'reply-to', 'after-id'])

/** Field that API callers must set for an irreversible deletion; the command line asks the user instead. */
export const CONFIRMATION = 'confirm'

/** The flags of a command, without the confirmation that its user is asked for. */
export function commandFlagsOf(operation: Operation): readonly Flag[] {
  const flags = flagsOf(operation)
  return operation.effect === 'delete' ? flags.filter(({ name }) => name !== CONFIRMATION) : flags
}

/** Turns the text of the command line into the JSON that the operation's schema describes. */
export function toInput(
  flags: readonly Flag[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const flag of flags) {
    const value = given[flag.name]
    if (value !== undefined) put(input, flag.path, decode(flag, value))
  }
  return input
}

function fieldsOf(schema: JsonSchema, at: readonly string[]): Flag[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([field, property]) => {
    const path = [...at, field]
    if (property.properties !== undefined) return fieldsOf(property, path)
    return [toFlag(path, property, at.length === 0 && required.includes(field))]
  })
}

function toFlag(path: readonly string[], schema: JsonSchema, required: boolean): Flag {
  const isList = schema.type === 'array'
  const item = isList ? (schema.items ?? {}) : schema
  const kind = kindOf(item)
  const repeatable = isList || kind === 'pair'
  const field = path.at(-1) ?? ''
  return {
    path,
    name: (repeatable ? singular(field) : field).replaceAll('_', '-'),
    kind,
    ...(kind === 'text' && toTimeKind(field, item)),
    ...(typesOf(item).includes('null') && { nullable: true as const }),
    repeatable,
    required,
    description: schema.description ?? '',
    ...(item.enum !== undefined && { choices: item.enum }),
    ...(schema['default'] === true && { isOnByDefault: true as const }),
    ...(kind === 'boolean' &&
      !required &&
      schema['default'] === undefined && { hasOpposite: true as const }),
    ...toDefaultText(schema['default']),
  }
}

/** Fields of a point in time; a schema says only of calendar dates that they are. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  'since',
  'since_time',
  'until',
  'defer_until',
  'created_after',
  'created_before',
])

function toTimeKind(field: string, schema: JsonSchema): Pick<Flag, 'time'> {
  if (TIME_FIELDS.has(field)) return { time: 'time' }
  const formats = [schema, ...(schema.anyOf ?? [])].map(({ format }) => format)
  return formats.includes('date') ? { time: 'date' } : {}
}

function toDefaultText(value: unknown): Pick<Flag, 'defaultText'> {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
    ? { defaultText: String(value) }
    : {}
}

function kindOf(schema: JsonSchema): Flag['kind'] {
  const types = typesOf(schema).filter((type) => type !== 'null')
  const isNumeric = types.some((type) => type === 'integer' || type === 'number')
  if (isNumeric) return types.length > 1 ? 'number_or_text' : 'number'
  switch (types.length === 1 ? types[0] : undefined) {
    case 'string':
      return 'text'
    case 'boolean':
      return 'boolean'
    case 'object':
      return isOfTexts(schema) ? 'pair' : 'json'
    default:
      return 'json'
  }
}

/** Every type that a value may have: a schema names one, several, or a schema for each. */
function typesOf({ type, anyOf }: JsonSchema): readonly unknown[] {
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  return Array.isArray(type) ? type : [type]
}

/** An object whose names are free and whose values are texts: written `name=value`. */
function isOfTexts({ properties, additionalProperties }: JsonSchema): boolean {
  return (
    properties === undefined &&
    typeof additionalProperties === 'object' &&
    additionalProperties.type === 'string'
  )
}

function decode(flag: Flag, value: unknown): unknown {
  if (flag.kind === 'pair' && Array.isArray(value)) return toFields(flag, value)
  if (flag.repeatable && Array.isArray(value)) return value.map((item) => decodeOne(flag, item))
  return decodeOne(flag, value)
}

function decodeOne(flag: Flag, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (flag.nullable === true && value === 'null') return null
  switch (flag.kind) {
    case 'text':
    case 'boolean':
    case 'pair':
      return value
    case 'number':
      return toNumber(flag, value)
    case 'number_or_text':
      return /^\d+$/.test(value) ? Number(value) : value
    case 'json':
      return toJson(flag, value)
  }
}

/** `what=hi`, once for each name; a JSON object will do as well. */
function toFields(flag: Flag, values: readonly unknown[]): object {
  const all = values.map(String).map((text) => {
    if (text.startsWith('{')) return toJson(flag, text)
    const at = text.indexOf('=')
    if (at > 0) return { [text.slice(0, at)]: text.slice(at + 1) }
    throw violation(flag.name, 'bad_format', 'must be written name=value', { value: text })
  })
  return all.reduce<object>((fields, more) => Object.assign(fields, more), {})
}

function toNumber(flag: Flag, value: string): number {
  const digits = flag.isMessage === true ? value.replace(/^m(?=\d)/i, '') : value
  const number = Number(digits)
  if (digits.trim() !== '' && Number.isFinite(number)) return number
  const what = flag.isMessage === true ? 'the number of a message, such as m3' : 'a number'
  throw violation(flag.name, 'wrong_type', `must be ${what}`, { value })
}

function toJson(flag: Flag, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch (cause) {
    throw notJson(flag.name, cause, { value })
  }
}

function put(input: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [field = '', ...rest] = path
  if (rest.length === 0) {
    input[field] = value
    return
  }
  const inner = input[field]
  const fields = isFields(inner) ? inner : {}
  input[field] = fields
  put(fields, rest, value)
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
