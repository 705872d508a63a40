import * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { refuseUnknown } from '../../core/input/parse.ts'
import { documentedAs } from '../../core/input/schema.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { toTool } from '../to-tool.ts'
import { defineTool, route } from '../tool.ts'
import { documentSpecProperties } from './shapes.ts'

const LARGEST_PAGE = 100
/** For tools whose specification has no pages: as many as the engine lists in one answer. */
export const ALL = 100_000

export const id = z.string().describe('Sequence number or UUID prefix (at least 4 hex characters)')
export const type = z.string().describe('decision, task, note, prompt, component or link')
export const limit = z.int().describe('How many at most (at most 100)')
export const specProperties = documentedAs(
  z.record(z.string(), z.unknown()),
  documentSpecProperties,
)

interface Mapping<Output extends z.ZodType> {
  readonly input: z.ZodObject
  /** Accepted fields that are not listed. */
  readonly unlisted?: z.ZodRawShape
  readonly toInput: (args: Fields) => unknown
  readonly toResult: (output: z.output<Output>, args: Fields) => unknown
}

export function define<Input extends z.ZodObject, Output extends z.ZodType>(
  name: string,
  description: string,
  operation: Operation<Input, Output>,
  mapping: Mapping<Output>,
): DialectTool {
  const { input, unlisted = {}, toInput, toResult } = mapping
  const known = input.extend(unlisted)
  return defineTool({
    listed: toTool({ name, description, input }, operation),
    parse: (args) => {
      refuseUnknown(known, args)
      return withTextIds(args)
    },
    routes: [route({ operation, toInput, toResult })],
  })
}

/** The spec clamps a page size that is too large. */
export function capped(args: Fields): Fields {
  const { limit } = args
  return typeof limit === 'number' ? { ...args, limit: Math.min(limit, LARGEST_PAGE) } : args
}

/** Models send sequence numbers as numbers and as strings. */
function withTextIds(args: Fields): Fields {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) =>
      /(?:^|_)id$/.test(name) && Number.isSafeInteger(value)
        ? [name, String(value)]
        : [name, value],
    ),
  )
}
