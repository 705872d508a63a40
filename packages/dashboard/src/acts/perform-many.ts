import { CallError } from '../data/call.ts'
import { say } from '../data/notices.ts'
import type { Task } from '../data/task/task.ts'
import { en } from '../text/en.ts'
import type { Act } from './act.ts'
import { ask } from './ask.ts'

/** Asks once, then does the same to each task, and says which refused. */
export async function performOnMany(act: Act, tasks: readonly Task[]): Promise<void> {
  const [first] = tasks
  if (first === undefined) return
  const question = act.question?.(first)
  const commandOf = (text: string): string =>
    tasks.map((task) => act.command(task, text)).join('\n  ')
  const answer =
    question === undefined
      ? ''
      : await ask({
          title: act.label,
          question,
          command: commandOf,
          isDanger: act.isDanger === true,
        })
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
