import * as z from 'zod'
import { body, oneLine } from '../../core/input/schema.ts'

export const annotatedView = z.object({
  success: z.literal(true),
  commit: z.string(),
  record: z.string().describe('Id of the annotation'),
  regions_written: z.int(),
  warnings: z.array(z.string()),
  anchor_resolutions: z.array(
    z.object({
      file: z.string(),
      requested_name: z.string(),
      resolution: z.enum(['exact', 'qualified', 'fuzzy', 'unresolved']),
      resolved_name: z.string().optional(),
      distance: z.int().optional(),
    }),
  ),
})
export type AnnotatedView = z.output<typeof annotatedView>

export const dependency = z.object({
  file: oneLine({ max: 4_096 }),
  anchor: oneLine({ min: 0, max: 500 }).default(''),
  nature: body({ max: 20_000 }),
})

export const pendingView = z.object({
  summary: z.string().optional(),
  task: z.string().optional(),
  reasoning: z.string().optional(),
  dependencies: z.array(dependency),
  tags: z.array(z.string()),
  notes: z.array(z.object({ text: z.string(), at: z.string(), author: z.string().optional() })),
})
export type PendingView = z.output<typeof pendingView>
