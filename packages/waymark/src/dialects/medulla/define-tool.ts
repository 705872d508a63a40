import * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { refuseUnknown } from '../../core/input/parse-exact.ts'
import { documentedAs } from '../../core/input/schema.ts'
import type { DialectTool } from '../dialect.ts'
import { toTool } from '../to-tool.ts'
import { documentSeedProperties, type Fields } from './shapes.ts'

const LARGEST_PAGE = 100

export const id = z.string().describe('Sequence number or UUID prefix (at least 4 hex characters)')
export const type = z.string().describe('decision, task, note, prompt, component or link')
export const limit = z.int().describe('How many at most (at most 100)')
export const seedProperties = documentedAs(
  z.record(z.string(), z.unknown()),
  documentSeedProperties,
)

interface Mapping {
  readonly input: z.ZodObject
  /** What is taken as well, though not worth listing. */
  readonly unlisted?: z.ZodRawShape
  toInput(args: Fields): unknown
  toResult(output: Fields, args: Fields): unknown
}

export function define(
  name: string,
  description: string,
  operation: Operation,
  mapping: Mapping,
): DialectTool {
  const known = mapping.input.extend(mapping.unlisted ?? {})
  return {
    listed: toTool({ name, description, input: mapping.input }, operation),
    operation,
    toInput: (args) => {
      refuseUnknown(known, args)
      return mapping.toInput(withTextIds(args))
    },
    toResult: (output, args) => mapping.toResult(output as Fields, args),
  }
}

/** The seed caps a page that is asked too large rather than refusing it. */
export function capped(args: Fields): Fields {
  const { limit } = args
  return typeof limit === 'number' ? { ...args, limit: Math.min(limit, LARGEST_PAGE) } : args
}

/** Models send a sequence number as a number as often as not. */
function withTextIds(args: Fields): Fields {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) =>
      /(?:^|_)id$/.test(name) && Number.isSafeInteger(value)
        ? [name, String(value)]
        : [name, value],
    ),
  )
}
