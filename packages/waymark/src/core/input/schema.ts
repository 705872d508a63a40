import * as z from 'zod'
import type { Violation } from './parse.ts'

type Check = (value: string) => Violation | undefined

interface Length {
  readonly min?: number
  readonly max: number
}

/** Text without surrounding blanks; a required one that is blank counts as missing. */
export function oneLine({ min = 1, max }: Length): z.ZodString {
  return checked(z.string().trim(), unstorable, (value) => length(value, { min, max })).meta({
    minLength: min,
    maxLength: max,
  })
}

/** Long text, limited in UTF-8 bytes because that is what it costs to store. */
export function body({ max }: { readonly max: number }): z.ZodString {
  return checked(z.string(), unstorable, (value) => tooLarge(value, max))
}

/** A calendar date such as 2026-11-15. */
export function calendarDate(): z.ZodString {
  return checked(z.string().trim(), (value) =>
    isCalendarDate(value)
      ? undefined
      : {
          rule: 'bad_format',
          message: 'must be a date like 2026-11-15',
          facts: { format: 'date', value },
        },
  ).meta({ format: 'date' })
}

/** An absolute http or https address. */
export function webAddress({ max }: { readonly max: number }): z.ZodString {
  return checked(
    z.string().trim(),
    unstorable,
    (value) => tooLarge(value, max) ?? webAddressViolation(value),
  ).meta({
    format: 'uri',
  })
}

/** JSON carried as text. */
export function jsonText({ max }: { readonly max: number }): z.ZodString {
  return checked(z.string(), unstorable, (value) => tooLarge(value, max) ?? jsonViolation(value))
}

/** One of a few words. Case and `-` for `_` do not matter, and `aliases` are read as the word they stand for. */
export function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  aliases: Readonly<Record<string, Values[number]>> = {},
) {
  const read = (value: string): string => {
    const word = value.trim().toLowerCase().replaceAll('-', '_')
    return aliases[word] ?? word
  }
  return z
    .string()
    .overwrite(read)
    .pipe(z.enum(values))
    .meta({ enum: [...values] })
}

/** Shows callers the fields in `document()` for an object whose rules depend on another field. */
export function documentedAs<S extends z.ZodType>(schema: S, document: () => JsonSchema): S {
  return schema.meta({ document })
}

/** A field that is accepted but not documented: an older name of another one. */
export function unlisted<S extends z.ZodType>(schema: S): S {
  return schema.meta({ unlisted: true })
}

/** Everything in one answer, for specifications that know no budget. */
export const whole = unlisted(z.boolean().default(false))

/** The keywords that schemas of ours use; there may be more. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly string[]
  readonly description?: string
  readonly [keyword: string]: unknown
}

/** JSON Schema of what a caller may send (`input`) or will receive (`output`). */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      dropUnlisted(jsonSchema)
      const { document } = jsonSchema
      if (typeof document !== 'function') return
      delete jsonSchema['document']
      delete jsonSchema.propertyNames
      delete jsonSchema.additionalProperties
      Object.assign(jsonSchema, document())
    },
  })
  // Wider in the library's types: it allows `true` for a schema and lists of `items`, and makes neither.
  return json as JsonSchema
}

function dropUnlisted({ properties = {} }: z.core.JSONSchema.BaseSchema): void {
  for (const [name, property] of Object.entries(properties)) {
    if (typeof property === 'object' && property['unlisted'] === true) delete properties[name]
  }
}

function checked(schema: z.ZodString, ...checks: readonly Check[]): z.ZodString {
  return schema.check((payload) => {
    for (const check of checks) {
      const found = check(payload.value)
      if (found === undefined) continue
      payload.issues.push({
        code: 'custom',
        message: found.message,
        params: { ...found },
        input: payload.value,
      })
      return
    }
  })
}

function unstorable(value: string): Violation | undefined {
  // A lone surrogate or NUL comes back altered from one database or another, so neither is ever stored.
  if (!value.isWellFormed())
    return { rule: 'bad_format', message: 'must be well-formed Unicode text' }
  if (value.includes('\0'))
    return { rule: 'bad_format', message: 'must not contain NUL characters' }
  return undefined
}

function length(value: string, { min, max }: Required<Length>): Violation | undefined {
  let actual = 0
  for (const _ of value) actual += 1
  if (actual > max) {
    return {
      rule: 'too_long',
      message: `must have at most ${max} characters, has ${actual}`,
      facts: { max, actual },
    }
  }
  if (actual >= min) return undefined
  if (actual === 0) return { rule: 'required', message: 'must not be empty', facts: { min } }
  return {
    rule: 'too_short',
    message: `must have at least ${min} characters, has ${actual}`,
    facts: { min, actual },
  }
}

/** The error for a text of more than `max` bytes in UTF-8. */
export function tooLarge(value: string, max: number): Violation | undefined {
  const actual = Buffer.byteLength(value, 'utf8')
  if (actual <= max) return undefined
  return {
    rule: 'too_large',
    message: `must have at most ${max} bytes, has ${actual}`,
    facts: { max, actual },
  }
}

function isCalendarDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  // Date.parse accepts 31 February and rolls over; a real date survives the round trip.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

function webAddressViolation(value: string): Violation | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return undefined
  return {
    rule: 'bad_format',
    message: 'must be an http or https address',
    facts: { format: 'url', value },
  }
}

function jsonViolation(value: string): Violation | undefined {
  try {
    JSON.parse(value)
    return undefined
  } catch {
    return { rule: 'bad_format', message: 'must be valid JSON', facts: { format: 'json' } }
  }
}
