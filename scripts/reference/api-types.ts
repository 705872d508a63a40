import type { Operation } from '../../packages/waymark/src/core/operation.ts'
import { type JsonSchema, toJsonSchema } from '../../packages/waymark/src/core/input/schema.ts'
import { allOperations } from '../../packages/waymark/src/registry.ts'

/** `packages/dashboard/src/api.ts`: the routes of the operations as types, so that the page needs no code of the engine. */
export async function apiTypes(): Promise<string> {
  const operations = (await allOperations()).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
  return `// Written by \`npm run generate\` from the schemas of the operations; do not edit.

/** Input and output of each operation by its name; \`effect\` is \`read\` for those that also take GET. */
export interface Operations {
${operations.map(toLine).join('\n')}
}

export type OperationName = keyof Operations
export type Input<Name extends OperationName> = Operations[Name]['input']
export type Output<Name extends OperationName> = Operations[Name]['output']
`
}

function toLine({ name, effect, input, output }: Operation): string {
  const types = `input: ${toType(toJsonSchema(input))}; output: ${toType(toJsonSchema(output, 'output'))}`
  return `  '${name}': { effect: '${effect}'; ${types} }`
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function toType(schema: JsonSchema): string {
  const { anyOf, oneOf, allOf, const: only, enum: words, type } = schema as JsonSchema & SchemaLists
  if ('$ref' in schema) throw new Error(`no type for the reference ${String(schema['$ref'])}`)
  if (words !== undefined) return toUnion(words.map((word) => JSON.stringify(word)))
  if (only !== undefined) return JSON.stringify(only)
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return toUnion(choices.map(toType))
  if (allOf !== undefined) return allOf.map(toType).join(' & ')
  if (typeof type === 'object') return toUnion(type.map((one) => toType({ ...schema, type: one })))
  if (type === 'array') return toArray(schema as JsonSchema & SchemaLists)
  if (type === 'object' || schema.properties !== undefined) return toObject(schema)
  return PRIMITIVES[type ?? ''] ?? 'unknown'
}

interface SchemaLists {
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly prefixItems?: readonly JsonSchema[]
}

function toUnion(types: readonly string[]): string {
  const different = [...new Set(types)]
  return different.length === 1 ? (different[0] ?? 'never') : `(${different.join(' | ')})`
}

function toArray({ prefixItems, items }: JsonSchema & SchemaLists): string {
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(toType).join(', ')}]`
  return `readonly ${toElement(items === undefined ? 'unknown' : toType(items))}[]`
}

function toElement(type: string): string {
  return type.startsWith('readonly ') || type.includes(' & ') ? `(${type})` : type
}

function toObject({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)
    return `readonly ${key}${required.includes(name) ? '' : '?'}: ${toType(property)}`
  })
  const rest = typeof additionalProperties === 'object' ? toType(additionalProperties) : undefined
  const others = rest === undefined ? [] : [`Readonly<Record<string, ${rest}>>`]
  if (fields.length === 0) return others[0] ?? 'Readonly<Record<string, unknown>>'
  return [`{ ${fields.join('; ')} }`, ...others].join(' & ')
}
