import type { JsonSchema } from '../../../../src/core/input/schema.ts'

/** What the texts of an input may name. */
export interface Names {
  /** Numbers of tasks: the held one first. */
  readonly tasks: readonly string[]
  readonly agent: string
}

type Fields = Readonly<Record<string, unknown>>

/** So many ways to fill the fields that must be there. */
const MOST_BASES = 32
const DATE = '2026-12-01'

/** Fields by which a task or another entity is named. */
const TAKES_ENTITY = /id$|^ids$|task|parent|source|target|duplicates|depends|blocks/i

/** The same inputs, each once more with every field that can name the held task and need not. */
export function aboutTask(
  schema: JsonSchema,
  bases: readonly Fields[],
  names: Names,
): readonly Fields[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, JsonSchema>> }
  const named = Object.entries(properties).filter(([name]) => TAKES_ENTITY.test(name))
  const fields = named.map(
    ([name, property]) => [name, valuesOf(name, property, names)[0]] as const,
  )
  return bases.flatMap((base) => [
    base,
    ...fields.map(([name, value]) => ({ [name]: value, ...base })),
  ])
}

/** Inputs with nothing but what an object must have. */
export function basesOf(schema: JsonSchema, names: Names): readonly Fields[] {
  const { properties, required } = toObject(schema)
  let bases: readonly Fields[] = [{}]
  for (const name of required) {
    const values = valuesOf(name, properties[name] ?? {}, names)
    bases = bases.flatMap((base) => values.map((value) => ({ ...base, [name]: value })))
    bases = evenly(bases, MOST_BASES)
  }
  return bases
}

/** The same inputs with one more field each, in all ways. */
export function extensionsOf(
  schema: JsonSchema,
  bases: readonly Fields[],
  names: Names,
): readonly Fields[] {
  const { properties, required } = toObject(schema)
  const optional = Object.entries(properties).filter(([name]) => !required.includes(name))
  return bases.flatMap((base) =>
    optional.flatMap(([name, property]) =>
      valuesOf(name, property, names).map((value) => ({ ...base, [name]: value })),
    ),
  )
}

/** Values of every kind that a field takes. */
function valuesOf(name: string, schema: JsonSchema, names: Names): readonly unknown[] {
  const { type, enum: choices, anyOf, items, minimum } = schema
  if (choices !== undefined) return choices
  if (anyOf !== undefined) return anyOf.flatMap((one) => valuesOf(name, one, names))
  const types = typeof type === 'object' ? type : [type]
  return types.flatMap((one): readonly unknown[] => {
    switch (one) {
      case 'null':
        return [null]
      case 'boolean':
        return [true, false]
      case 'integer':
      case 'number':
        return [typeof minimum === 'number' ? Math.max(1, minimum) : 1]
      case 'array':
        return valuesOf(name, items ?? {}, names).map((value) => [value])
      case 'object':
        return objectsOf(schema, names)
      case 'string':
      case undefined:
      default:
        return textsOf(name, schema, names)
    }
  })
}

function objectsOf(schema: JsonSchema, names: Names): readonly Fields[] {
  if (schema['properties'] === undefined) return [{ status: 'cancelled' }, {}]
  const bases = aboutTask(schema, basesOf(schema, names), names)
  return [...bases, ...extensionsOf(schema, bases, names)]
}

function textsOf(name: string, { format }: JsonSchema, { tasks, agent }: Names): readonly string[] {
  const [held = '', ...others] = tasks
  if (format === 'date') return [DATE]
  if (/agent|^to$/i.test(name)) return [agent]
  if (/relations/.test(name)) {
    return [...others, held].flatMap((id) => [
      `references:${id}`,
      `blocks:${id}`,
      `subtask_of:${id}`,
    ])
  }
  if (name.endsWith('type')) return ['blocks', 'subtask_of', 'references']
  return TAKES_ENTITY.test(name) ? [held, ...others] : ['a text', DATE, held]
}

/** At most so many of them, from all parts of the list. */
export function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items
  return items.filter(
    (_, at) =>
      Math.floor((at * most) / items.length) !== Math.floor(((at - 1) * most) / items.length),
  )
}

function toObject(schema: JsonSchema): {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
} {
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
  }
  return { properties, required }
}
