import type { Context } from '../context.ts'
import { Failure } from '../error.ts'
import { execute } from '../execute.ts'
import { getEntity } from '../operations/entities.ts'
import type { Terminal } from './terminal.ts'

type Input = Readonly<Record<string, unknown>>

/** Lets a person write the content in their own editor, starting from what is there. */
export async function editContent(
  context: Context,
  input: Input,
  terminal: Terminal,
): Promise<string> {
  const before = await presentContent(context, input)
  const after = await terminal.edit(before)
  if (after === undefined) {
    throw new Failure('invalid_input', 'edit: set VISUAL or EDITOR to the editor to use', {
      details: { field: 'edit' },
    })
  }
  if (after === before) throw new Failure('cancelled', 'the text is as it was; nothing was written')
  return after
}

async function presentContent(context: Context, { id, content }: Input): Promise<string> {
  if (typeof content === 'string') return content
  if (typeof id !== 'string') return ''
  return (await execute(context, getEntity, { id })).content ?? ''
}
