import * as z from 'zod'
import { cutText } from '../spec/prd.ts'
import { reference } from '../../entity/reference.ts'
import { defineOperation } from '../../core/operation.ts'
import { findTask } from '../find-task.ts'
import { prdDrift, readPrdContext } from '../spec/prd-source.ts'
import { asTask } from '../fields.ts'
import { taskLabel, toTaskLabel } from '../view.ts'
import { warningView } from '../../core/warning.ts'
import { type Block, line, paragraphs, quote } from '../../core/show.ts'
import { label } from '../../entity/view.ts'

const contextView = z.object({
  task: taskLabel,
  description: z.string().optional(),
  acceptance_criteria: z.array(z.string()),
  prd_source: z.string().optional(),
  prd_refs: z.array(z.string()),
  prd_excerpt: z.string().optional(),
  drift: prdDrift.optional(),
  sections: z.array(z.object({ anchor: z.string(), content: z.string() })),
  content: z.string().describe('Description, excerpt and sections in one, cut to size'),
  truncated: z.boolean(),
  warnings: z.array(warningView),
})
type TaskContext = z.output<typeof contextView>

export const taskContext = defineOperation({
  name: 'task.context',
  summary: 'Show the part of a document that a task implements, and whether it has changed since',
  example: '12',
  effect: 'read',
  input: z.object({
    id: reference,
    max_chars: z.int().min(100).max(50_000).default(1000).describe('Longest content'),
  }),
  output: contextView,
  positional: ['id'],
  async run(context, { id, max_chars }) {
    const row = await findTask(context.store, id)
    const { prd, acceptance_criteria = [] } = asTask(row)
    const read = await readPrdContext(context, prd)
    const parts = [row.content, prd?.excerpt, ...read.sections.map(({ content }) => content)]
    const whole = parts.filter((part) => part !== null && part !== undefined && part !== '')
    const { text, isCut } = cutText(whole.join('\n\n'), max_chars)
    return {
      task: toTaskLabel(row),
      ...(row.content !== null && { description: row.content }),
      acceptance_criteria,
      ...(prd !== undefined && { prd_source: prd.source }),
      prd_refs: prd?.refs.map(({ anchor }) => anchor) ?? [],
      ...(prd?.excerpt !== undefined && { prd_excerpt: prd.excerpt }),
      ...read,
      content: text,
      truncated: isCut,
    }
  },
  show: showContext,
})

function showContext(view: TaskContext): readonly Block[] {
  const drift = view.drift?.changed === true ? view.drift.details : []
  const warnings = [...drift, ...view.warnings.map(({ message }) => message)]
  return paragraphs([
    [line`${label(view.task)}`],
    view.acceptance_criteria.map((text) => line`- ${text}`),
    view.content === '' ? [] : quote(view.content),
    view.truncated ? [line`there is more; raise --max-chars`] : [],
    warnings.map((text) => line`careful: ${text}`),
  ])
}
