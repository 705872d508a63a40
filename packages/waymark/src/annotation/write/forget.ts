import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { toNotesRef } from '../../git/annotation-settings.ts'
import { damagedRef } from '../../git/refs/damaged-ref.ts'
import { readRef } from '../../git/refs/ref-state.ts'
import { defineOperation } from '../../core/operation.ts'
import { oneLine } from '../../core/input/schema.ts'
import { counted, line, own } from '../../core/show.ts'
import { change } from '../../core/change.ts'
import { forgetNotes } from '../notes/copy-notes.ts'
import { openCode } from './open-code.ts'

export const forgetAnnotations = defineOperation({
  name: 'code.forget',
  summary: 'Drop the store’s copy of a notes ref that was deleted',
  example: 'refs/notes/old',
  effect: 'delete',
  input: z.object({
    ref: oneLine({ max: 500 })
      .optional()
      .describe('Notes ref that is gone; the one that is written to when absent'),
  }),
  output: z.object({ ref: z.string(), forgotten: z.int().describe('Notes that the copy had') }),
  positional: ['ref'],
  async run(context, { ref: given }) {
    const { repository, settings } = await openCode(context)
    const ref = given === undefined ? settings.noteRef : toNotesRef(given)
    const state = await readRef(repository, ref)
    if (state.kind === 'commit') throw stillThere(ref)
    if (state.kind !== 'absent') throw damagedRef(ref, state)
    return await change(context, async (change) => {
      const forgotten = await forgetNotes(change, ref)
      if (forgotten > 0) await change.announce('annotation.forgotten', ref, { notes: forgotten })
      return { ref, forgotten }
    })
  },
  show: ({ ref, forgotten }) => [line`forgot ${own(counted(forgotten, 'note'))} of ${ref}`],
})

function stillThere(ref: string): Failure {
  return new Failure(
    'conflict',
    `${ref} is there: delete it first (git update-ref -d ${ref}), or take away single notes with git notes --ref ${ref} remove <commit>`,
    { details: { ref } },
  )
}
