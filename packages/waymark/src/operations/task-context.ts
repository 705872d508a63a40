import * as z from 'zod'
import type { Context } from '../context.ts'
import { cutText, findSection, hashText } from '../domain/prd.ts'
import { reference } from '../domain/reference.ts'
import type { Prd } from '../domain/task-fields.ts'
import { defineOperation } from '../operation.ts'
import { findTask } from './find-task.ts'
import { taskLabel, taskOf, toTaskLabel } from './task-view.ts'
import { type Warning, warning, warningView } from './warning.ts'

const drift = z.object({
  changed: z.boolean().describe('What the task refers to reads differently now'),
  details: z.array(z.string()),
})

export const taskContext = defineOperation({
  name: 'task.context',
  summary: 'Show the part of a document that a task implements, and whether it has changed since',
  effect: 'read',
  input: z.object({
    id: reference,
    max_chars: z.int().min(100).max(50_000).default(1000).describe('Longest content'),
  }),
  output: z.object({
    task: taskLabel,
    description: z.string().optional(),
    acceptance_criteria: z.array(z.string()),
    prd_source: z.string().optional(),
    prd_refs: z.array(z.string()),
    prd_excerpt: z.string().optional(),
    drift: drift.optional(),
    sections: z.array(z.object({ anchor: z.string(), content: z.string() })),
    content: z.string().describe('Description, excerpt and sections in one, cut to size'),
    truncated: z.boolean(),
    warnings: z.array(warningView),
  }),
  positional: ['id'],
  async run(context, { id, max_chars }) {
    const row = await findTask(context.store, id)
    const { prd, acceptance_criteria = [] } = taskOf(row)
    const read = await readContext(context, prd)
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
})

interface ReadContext {
  readonly sections: { anchor: string; content: string }[]
  readonly warnings: Warning[]
  readonly drift?: z.output<typeof drift>
}

async function readContext(context: Context, prd: Prd | undefined): Promise<ReadContext> {
  if (prd === undefined) return { sections: [], warnings: [] }
  const text = await context.files?.readText(prd.source)
  if (text === undefined) {
    const message = `${prd.source} is not in the project`
    return { sections: [], warnings: [warning('missing_prd_source', message)] }
  }
  const sections: ReadContext['sections'] = []
  const details: string[] = []
  for (const ref of prd.refs) {
    const content = findSection(text, ref)
    if (content === undefined) details.push(`section ${ref.anchor} is gone`)
    else {
      sections.push({ anchor: ref.anchor, content })
      if (ref.hash !== undefined && hashText(content) !== ref.hash) {
        details.push(`section ${ref.anchor} has changed`)
      }
    }
  }
  // Without sections to compare, the whole document is what the task refers to.
  const isWhole = !prd.refs.some(({ hash }) => hash !== undefined)
  if (isWhole && prd.hash !== undefined && hashText(text) !== prd.hash) {
    details.push(`${prd.source} has changed`)
  }
  const changed = details.length > 0
  const warnings = changed ? [warning('prd_drift', details.join('; '))] : []
  return { sections, warnings, drift: { changed, details } }
}
