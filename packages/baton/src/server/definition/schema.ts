import type { Problem } from '../../internal/json-schema/check.ts'
import { compileJsonSchema } from '../../internal/json-schema/compile.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonSchema } from '../../protocol/server-features/tool.ts'
import type { Awaitable } from '../call-context.ts'

/** A schema of any library that follows Standard Schema with JSON Schema, such as zod 4. */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate: (value: unknown) => Awaitable<StandardResult<Output>>
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
      readonly output: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

/** The result of a Standard Schema's validation. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One issue of a Standard Schema's validation. */
interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema in a definition: Standard Schema or plain JSON Schema. */
export type Schema = StandardSchema | JsonSchema

/** The type of the values that a schema returns, after defaults are filled in. */
export type InferOutput<S> =
  S extends StandardSchema<infer Output> ? Output : Readonly<Record<string, unknown>>

/** The type of the values that a schema accepts, before defaults are filled in; `unknown` for plain JSON Schema. */
export type InferInput<S> = S extends StandardSchema<unknown, infer Input> ? Input : unknown

/** A compiled schema: its JSON Schema for clients and a check for values. */
export interface CompiledSchema {
  readonly json: JsonSchema
  check(value: unknown): Awaitable<CheckedValue>
}

/** A valid value, possibly with defaults filled in, or the problems of an invalid one. */
type CheckedValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] }

const DIALECT = 'draft-2020-12'
const MAX_PROBLEMS = 10

/** Compiles a schema for arguments (`input`) or results (`output`). */
export function compileSchema(schema: Schema, side: 'input' | 'output'): CompiledSchema {
  if (!isStandardSchema(schema)) return compilePlain(schema)
  const standard = schema['~standard']
  // 2020-12 is the default, so repeating it in every tool would only cost tokens.
  const { $schema: _dialect, ...json } = standard.jsonSchema[side]({ target: DIALECT })
  return {
    json,
    check(value) {
      const result = standard.validate(value)
      return result instanceof Promise ? result.then(toCheckedValue) : toCheckedValue(result)
    },
  }
}

function compilePlain(json: JsonSchema): CompiledSchema {
  const check = compileJsonSchema(json)
  return {
    json,
    check(value) {
      const problems: Problem[] = []
      return check(value, problems) ? { ok: true, value } : toProblems(problems)
    },
  }
}

function isStandardSchema(schema: Schema): schema is StandardSchema {
  const standard = (schema as Partial<StandardSchema>)['~standard']
  if (!isJsonObject(standard)) return false
  if (isJsonObject(standard['jsonSchema'])) return true
  throw new TypeError('schema has no JSON Schema converter: ~standard.jsonSchema is missing')
}

function toCheckedValue(result: StandardResult<unknown>): CheckedValue {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return toProblems(result.issues)
}

function toProblems(issues: readonly StandardIssue[]): CheckedValue {
  return { ok: false, problems: issues.slice(0, MAX_PROBLEMS).map(toProblemText) }
}

function toProblemText({ message, path }: StandardIssue): string {
  const names = path?.map((part) => String(typeof part === 'object' ? part.key : part)) ?? []
  return names.length === 0 ? message : `${names.join('.')}: ${message}`
}
