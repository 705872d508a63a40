import type { Context } from '../../../core/context.ts'
import { Failure } from '../../../core/error.ts'
import { execute } from '../../../core/execute.ts'
import type { Operation } from '../../../core/operation.ts'
import { getEntity } from '../../../entity/operations.ts'
import type { Terminal } from '../../terminal/terminal.ts'

type Input = Readonly<Record<string, unknown>>

/** Lets a person write the content in their own editor, starting from what is there. */
export async function editContent(
  context: Context,
  { operation, input }: { readonly operation: Operation; readonly input: Input },
  terminal: Terminal,
): Promise<string> {
  const before = await presentContent(context, operation, input)
  const after = await terminal.edit(before)
  if (after === undefined) {
    throw new Failure('invalid_input', 'edit: set VISUAL or EDITOR to the editor to use', {
      details: { field: 'edit' },
    })
  }
  if (after === before) throw new Failure('cancelled', 'no changes; nothing was written')
  return after
}

async function presentContent(
  context: Context,
  { name }: Operation,
  { id, content }: Input,
): Promise<string> {
  if (typeof content === 'string') return content
  if (typeof id !== 'string') return ''
  // A task is named by its key too, which may look like the id of something else: read what is going to be changed.
  if (name.startsWith('task.')) {
    const { getTask } = await import('../../../task/operations.ts')
    return (await execute(context, getTask, { id })).content ?? ''
  }
  return (await execute(context, getEntity, { id })).content ?? ''
}
