import type { Tool } from '@waymark/baton'
import * as z from 'zod'
import { toQuotation, toTitle } from '../../support/text/stored-text.ts'
import { isDestructive, type Operation } from '../../core/operation.ts'
import { refuseUnknown } from '../../core/input/parse-exact.ts'
import { type JsonSchema, toJsonSchema } from '../../core/input/schema.ts'
import type { DialectTool } from '../dialect.ts'
import { toLine, toVisibleJson } from '../../support/text/visible-text.ts'
import { tokensOf } from './budget.ts'

export type Fields = Readonly<Record<string, unknown>>

export const words = z.array(z.string())
export const count = z.int()
export const maxTokens = z.int().optional()

interface Definition {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** What it may do, what it mostly does first. */
  readonly operations: readonly [Operation, ...Operation[]]
  readonly toOperation?: (args: Fields) => Operation
  toInput(args: Fields): unknown
  toResult(output: Fields, args: Fields): Fields
  toText(result: Fields, args: Fields): string
}

/** A tool of the default list: a flat schema as short as it can be, and an answer in lines. */
export function define(definition: Definition): DialectTool {
  const { name, description, input, operations, toOperation } = definition
  return {
    listed: toLeanTool({ name, description, schema: toJsonSchema(input) }, operations),
    toolset: 'core',
    operation: operations[0],
    ...(toOperation !== undefined && { toOperation: (args) => toOperation(withTextIds(args)) }),
    toInput: (args) => {
      refuseUnknown(input, args)
      tokensOf(args)
      return definition.toInput(withTextIds(args))
    },
    toResult: (output, args) => definition.toResult(output as Fields, withTextIds(args)),
    toText: (result, args) => definition.toText(result as Fields, withTextIds(args)),
  }
}

interface ToolText {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** A tool without what no model needs to call it: bounds, defaults, and hints that say what is assumed anyway. */
export function toLeanTool(
  { name, description, schema }: ToolText,
  operations: readonly Operation[],
): Tool {
  const isRead = operations.every(({ effect }) => effect === 'read')
  return {
    name,
    description,
    inputSchema: { type: 'object', ...lean(schema) },
    ...(isRead && { annotations: { readOnlyHint: true } }),
    ...(!isRead && !operations.some(isDestructive) && { annotations: { destructiveHint: false } }),
  }
}

const KEPT: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'items',
  'required',
  'enum',
  'description',
])

function lean(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => KEPT.has(keyword) && !isEmptyObject(value))
      .map(([keyword, value]) => [keyword, leanPart(keyword, value)]),
  )
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function leanPart(keyword: string, value: unknown): unknown {
  if (keyword === 'items') return lean(value as JsonSchema)
  if (keyword !== 'properties') return value
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => [
      name,
      lean(schema),
    ]),
  )
}

const ID_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'ids',
  'task',
  'parent',
  'depends_on',
  'add_depends_on',
  'remove_depends_on',
  'discovered_from',
  'duplicates',
  'links',
  'supersedes',
])

/** Models send a number as a number as often as not, and as #12 because that is how it is shown. */
function withTextIds(args: Fields): Fields {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (name === 'cursor' && typeof value === 'number') return [name, String(value)]
      return [name, ID_FIELDS.has(name) ? toTextIds(value) : value]
    }),
  )
}

/** Behind it, digits alone could also be the beginning of an id. */
const LONGEST_PLAIN = 999_999

export function toTextIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toTextIds)
  if (typeof value === 'number') return value > LONGEST_PLAIN ? `#${value}` : String(value)
  return typeof value === 'string' ? value.replace(/^#(?=\d{1,6}$)/, '') : value
}

/** The named fields of an object that are there. */
export function pick(from: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, from[name]]).filter(([, value]) => !isEmpty(value)),
  )
}

/** What a model needs of how far a text can be relied on: the id of an agent is for programs. */
export function pickTrust(trust: Fields = {}): Record<string, unknown> {
  return {
    ...pick(trust, ['via', 'remote', 'signature', 'signer', 'claimed', 'model', 'imported_from']),
    ...pick(trust, ['changed_by', 'superseded_by', 'code']),
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Any value on one visible line. */
export function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(titled).join('; ')
  return typeof value === 'object' ? toVisibleJson(value) : toLine(String(value as string | number))
}

/** A stored title or name between facts of ours. */
export function titled(value: unknown): string {
  return typeof value === 'string' ? toTitle(value) : plain(value)
}

/** A stored text of any length below a line of ours, or nothing. */
export function quotation(text: unknown): readonly string[] {
  return typeof text === 'string' && text !== '' ? [toQuotation(text)] : []
}

/** A field of its own: on one line if the text is, otherwise quoted below its name. */
export function fieldLine([name, value]: readonly [string, unknown]): string {
  return typeof value === 'string' && value.trim().includes('\n')
    ? `${name}:\n${toQuotation(value)}`
    : `${name}: ${plain(value)}`
}
