import type { Tool } from '@waymark/baton'
import * as z from 'zod'
import { isDestructive, isIdempotent, type Operation } from '../../core/operation.ts'
import { refuseUnknown } from '../../core/input/parse.ts'
import type { Block } from '../../core/show.ts'
import { type JsonSchema, toJsonSchema } from '../../core/input/schema.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { defineTool, type Route, type Routes, typed } from '../tool.ts'
import type { Trust } from '../../agent/trust.ts'
import { once } from '../../support/once.ts'
import { tokensOf } from './budget.ts'

export const words = z.array(z.string())
export const count = z.int()
export const maxTokens = z.int().optional()

interface Listing {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** Overrides what its operations say, where the tool offers less than they do. */
  readonly isDestructive?: boolean
  readonly meta?: Tool['_meta']
}

interface Call<Input extends z.ZodObject, Output extends z.ZodType, Result> {
  readonly operation: Operation<Input, Output>
  readonly toInput: (args: Fields) => unknown
  /** The output within the token budget of the call. Data and text are both made of it. */
  readonly toFitting?: (output: z.output<Output>, args: Fields) => z.output<Output>
  readonly toResult: (fitting: z.output<Output>, args: Fields, whole: z.output<Output>) => Result
  /** Lines about what this tool left out, after those of the operation. */
  readonly toNotes?: (result: Result) => readonly Block[]
}

/** An operation that a tool of the default list calls; its text is what the operation shows to agents. */
export function calling<Input extends z.ZodObject, Output extends z.ZodType, Result>(
  call: Call<Input, Output, Result>,
): Route<Fields> {
  const { operation, toInput, toFitting, toResult, toNotes } = call
  return {
    operation,
    toInput,
    toAnswer: typed(operation, (output, args: Fields) => {
      const fitting = toFitting === undefined ? output : toFitting(output, args)
      const result = toResult(fitting, args, output)
      const blocks = operation.showToAgent?.(fitting) ?? operation.show(fitting)
      return { result, text: [...blocks, ...(toNotes?.(result) ?? [])] }
    }),
  }
}

/** A tool of the default list that calls one operation. */
export function define<Input extends z.ZodObject, Output extends z.ZodType, Result>({
  name,
  description,
  input,
  meta,
  ...call
}: Listing & Call<Input, Output, Result>): DialectTool {
  return defineCore({ name, description, input, meta }, [calling(call)])
}

/** A tool of the default list: a flat schema as short as it can be, and an answer in lines. */
export function defineCore(listing: Listing, routes: Routes<Fields>): DialectTool {
  const { input } = listing
  const operations = routes.map(({ operation }) => operation)
  return defineTool({
    listed: toLeanTool({ ...listing, toSchema: () => toJsonSchema(input) }, operations),
    toolset: 'core',
    parse: (args) => {
      refuseUnknown(input, args)
      if ('max_tokens' in args) tokensOf(args)
      return withTextIds(args)
    },
    routes,
  })
}

interface ToolText extends Omit<Listing, 'input'> {
  readonly toSchema: () => JsonSchema
}

/**
 * A tool without schema keywords that models do not need, such as bounds and defaults. Its hints are complete: hosts
 * read the default of an absent one as a reason to refuse the call.
 */
export function toLeanTool(
  { name, description, toSchema, meta, ...own }: ToolText,
  operations: readonly Operation[],
): Tool {
  const inputSchema = once(() => ({ type: 'object' as const, ...lean(toSchema()) }))
  return {
    name,
    description,
    // Only lists need it, and those are made at build time.
    get inputSchema() {
      return inputSchema()
    },
    annotations: {
      readOnlyHint: operations.every(({ effect }) => effect === 'read'),
      destructiveHint: own.isDestructive ?? operations.some(isDestructive),
      idempotentHint: operations.every(isIdempotent),
      openWorldHint: false,
    },
    ...(meta !== undefined && { _meta: meta }),
  }
}

const LISTED_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'items',
  'required',
  'enum',
  'description',
])

function lean(schema: JsonSchema): JsonSchema {
  const kept: JsonSchema = Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword, value]) => LISTED_KEYWORDS.has(keyword) && !isEmptyObject(value),
    ),
  )
  const { items, properties } = kept
  return {
    ...kept,
    ...(items !== undefined && { items: lean(items) }),
    ...(properties !== undefined && { properties: leanAll(properties) }),
  }
}

function leanAll(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, lean(schema)]))
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
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

/** Models send ids as numbers, as strings, and as #12, which is how they are shown. */
function withTextIds(args: Fields): Fields {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (name === 'cursor' && typeof value === 'number') return [name, String(value)]
      return [name, ID_FIELDS.has(name) ? toTextIds(value) : value]
    }),
  )
}

/** Above it, digits alone could also be the prefix of an id. */
const LONGEST_PLAIN = 999_999

export function toTextIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toTextIds)
  if (typeof value === 'number') return value > LONGEST_PLAIN ? `#${value}` : String(value)
  return typeof value === 'string' ? value.replace(/^#(?=\d{1,6}$)/, '') : value
}

/** The named fields of an object that are not empty. */
export function pick<T extends object, Name extends keyof T>(
  from: T,
  names: readonly Name[],
): { readonly [P in Name]?: NonNullable<T[P]> } {
  const picked: { [P in Name]?: NonNullable<T[P]> } = {}
  for (const name of names) {
    const value = from[name]
    if (isFilled(value)) picked[name] = value
  }
  return picked
}

/** The provenance that a model needs, without agent ids. */
export function pickProvenance(trust: Trust = {}) {
  return {
    ...pick(trust, ['via', 'remote', 'signature', 'signer', 'claimed', 'model', 'imported_from']),
    ...pick(trust, ['changed_by', 'superseded_by', 'code']),
  }
}

function isFilled<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
