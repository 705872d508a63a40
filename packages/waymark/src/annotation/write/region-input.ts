import * as z from 'zod'
import { parseLineRange } from '../place.ts'
import { CONSTRAINT_SOURCES, type LineRange, REGION_KINDS } from '../record.ts'
import { violation } from '../../core/input/parse.ts'
import { body, oneLine } from '../../core/input/schema.ts'

const LONGEST_TEXT = 20_000
const MOST_ITEMS = 100

const text = body({ max: LONGEST_TEXT })
const name = oneLine({ max: 500 })
const file = oneLine({ max: 4_096 })

const anchorInput = z.union([
  name,
  z.object({
    name,
    type: name.optional(),
    unit_type: name.optional(),
    signature: text.optional().describe('As it was read; the code itself is asked'),
  }),
])
const linesInput = z.union([
  z.string().max(30),
  z.object({ start: z.int().min(1), end: z.int().min(1) }),
])

/** What an agent says of one piece of code. Spelled freely: a string does where nothing more is to be said. */
export const regionInput = z.object({
  file: file.optional().describe('Path from the top of the repository'),
  path: file.optional().describe('The same as file'),
  anchor: anchorInput.optional().describe('Function or type it is about'),
  ast_anchor: anchorInput.optional().describe('The same as anchor'),
  lines: linesInput.optional().describe('START:END, if there is no name for it'),
  kind: z.enum(REGION_KINDS).default('intent').describe('What is told'),
  intent: text.describe('Why the code is the way it is, or what was learned'),
  reasoning: text.optional().describe('Why so and not otherwise'),
  constraints: z
    .array(
      z.union([text, z.object({ text, source: z.enum(CONSTRAINT_SOURCES).default('author') })]),
    )
    .max(MOST_ITEMS)
    .default([])
    .describe('What must stay true'),
  semantic_dependencies: z
    .array(z.object({ file, anchor: oneLine({ min: 0, max: 500 }).default(''), nature: text }))
    .max(MOST_ITEMS)
    .default([])
    .describe('What this code assumes about other code'),
  related_annotations: z
    .array(z.object({ commit: name, anchor: name, relationship: text }))
    .max(MOST_ITEMS)
    .default([])
    .describe('Earlier annotations it builds on'),
  tags: z
    .array(oneLine({ max: 100 }))
    .max(50)
    .default([])
    .describe('Words to find it by'),
  risk_notes: text.optional().describe('What may go wrong'),
})

export const crossCuttingInput = z.object({
  description: text,
  regions: z.array(z.union([name, z.object({ file, anchor: name.optional() })])).max(MOST_ITEMS),
  nature: text.optional(),
  tags: z
    .array(oneLine({ max: 100 }))
    .max(50)
    .default([]),
})

export type RegionInput = z.output<typeof regionInput>

export function fileOf(region: RegionInput, at: number): string {
  const given = region.file ?? region.path
  if (given === undefined) throw violation(`regions.${at}.file`, 'required', 'is required')
  return given
}

export function anchorOf(region: RegionInput): { name: string; type?: string } | undefined {
  const anchor = region.anchor ?? region.ast_anchor
  if (anchor === undefined) return undefined
  if (typeof anchor === 'string') return { name: anchor }
  const type = anchor.type ?? anchor.unit_type
  return { name: anchor.name, ...(type !== undefined && { type }) }
}

export function linesOfInput({ lines }: RegionInput, at: number): LineRange | undefined {
  if (lines === undefined) return undefined
  const range = typeof lines === 'string' ? parseLineRange(lines) : lines
  if (range.start <= range.end) return range
  throw violation(`regions.${at}.lines`, 'bad_format', 'must not end before it starts')
}
