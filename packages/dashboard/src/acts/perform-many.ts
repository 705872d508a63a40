import { CallError } from '../data/call.ts'
import { say } from '../data/notices.ts'
import type { Task } from '../data/task/task.ts'
import { en } from '../text/en.ts'
import type { Act } from './act.ts'
import { askFor } from './perform.ts'

/** Asks once, then does the same to each task, and says which refused. */
export async function performOnMany(act: Act, tasks: readonly Task[]): Promise<void> {
  const answer = await askFor(act, tasks)
  if (answer === undefined) return
  const refused: string[] = []
  for (const task of tasks) {
    try {
      await act.run(task, answer, crypto.randomUUID())
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      refused.push(`#${task.number}: ${error.message}`)
    }
  }
  if (refused.length === 0) say('ok', en.acts.doneMany(act.label, tasks.length))
  else say('bad', en.refused.some(refused.length, tasks.length, refused.slice(0, 3).join('; ')))
}
