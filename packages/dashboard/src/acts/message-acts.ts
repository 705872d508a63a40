import { call } from '../data/call.ts'
import type { Task } from '../data/task/task.ts'
import { en } from '../text/en.ts'
import { type Act, option, quoted } from './act.ts'
import { id, isAgents } from './task-rules.ts'

const isAlways = (): boolean => true

/** A word to the agent that holds the task, or to all; and one that it is to read before anything else. */
export const MESSAGE_ACTS: readonly Act[] = [
  toAct({ id: 'write', label: en.acts.write, key: 'w', applies: isAlways }, 'info'),
  toAct({ id: 'stop', label: en.acts.stop, key: 'Shift+w', applies: isAgents }, 'blocker'),
]

function toAct(
  act: Pick<Act, 'applies' | 'id' | 'key' | 'label'>,
  severity: 'blocker' | 'info',
): Act {
  return {
    ...act,
    question: (task) => ({
      text: en.asks.write(task.number, task.holder?.name, severity === 'blocker'),
      label: act.label,
      isRequired: true,
      hint: task.holder === undefined ? en.asks.toldAll : en.now.told(task.holder.name),
    }),
    command: (task, body) =>
      `waymark message send ${quoted(body)} --task ${task.number}${option('to', task.holder?.name ?? '')}${severity === 'info' ? '' : ' --severity blocker'}`,
    run: (task, body, idempotencyKey) =>
      call(
        'message.send',
        { body, severity, task: id(task), ...toHolder(task) },
        { idempotencyKey },
      ),
  }
}

function toHolder({ holder }: Task): { to?: string } {
  return holder === undefined ? {} : { to: holder.name }
}
