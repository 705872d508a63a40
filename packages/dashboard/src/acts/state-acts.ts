import { call } from '../data/call.ts'
import { en } from '../text/en.ts'
import { type Act, option } from './act.ts'
import { because, force, forced, id, isAgents, isMine, isOpen } from './task-rules.ts'

/** Taking a task, giving it back, finishing it and looking at what was finished. */
export const STATE_ACTS: readonly Act[] = [
  {
    id: 'verify',
    label: en.acts.verify,
    key: 'v',
    applies: ({ column }) => column === 'to_verify',
    command: (task) => `waymark task verify ${task.number}`,
    guess: () => ({ column: 'done' }),
    run: (task, _, idempotencyKey) => call('task.verify', { id: id(task) }, { idempotencyKey }),
  },
  {
    id: 'take',
    label: en.acts.take,
    key: 't',
    applies: (task) => isOpen(task) && task.holder === undefined && task.column !== 'waiting',
    command: (task) => `waymark task claim ${task.number}`,
    run: (task, _, idempotencyKey) => call('task.claim', { id: id(task) }, { idempotencyKey }),
    undo: (before) => call('task.release', { id: id(before) }),
  },
  {
    id: 'release',
    label: en.acts.release,
    key: 'Shift+t',
    applies: isMine,
    command: (task) => `waymark task release ${task.number}`,
    run: (task, _, idempotencyKey) => call('task.release', { id: id(task) }, { idempotencyKey }),
  },
  {
    id: 'take-back',
    label: en.acts.takeBack,
    key: 'Shift+t',
    applies: isAgents,
    question: (task) => ({
      text: en.asks.takeBack(task.number, task.holder?.name ?? ''),
      label: en.asks.reason,
      isRequired: true,
    }),
    command: (task, reason) => `waymark task take-back ${task.number}${option('reason', reason)}`,
    guess: () => ({ holder: undefined, column: 'ready' }),
    run: (task, reason, idempotencyKey) =>
      call('task.take_back', { id: id(task), reason }, { idempotencyKey }),
  },
  {
    id: 'complete',
    label: en.acts.complete,
    key: 'Shift+c',
    applies: isOpen,
    question: (task) => ({
      text: en.asks.complete(task.number),
      label: en.asks.reason,
      isRequired: isAgents(task),
    }),
    command: (task, reason) =>
      `waymark task complete ${task.number}${forced(task)}${option('reason', reason)}`,
    guess: () => ({ status: 'done', holder: undefined, column: 'done' }),
    run: (task, reason, idempotencyKey) =>
      call(
        'task.complete',
        { id: id(task), ...force(task), ...because(reason) },
        { idempotencyKey },
      ),
  },
  {
    id: 'reopen',
    label: en.acts.reopen,
    key: 'o',
    applies: (task) => !isOpen(task),
    question: (task) => ({
      text: en.asks.reopen(task.number),
      label: en.asks.reason,
      isRequired: false,
    }),
    command: (task, reason) => `waymark task reopen ${task.number}${option('reason', reason)}`,
    guess: () => ({ status: 'todo', column: 'ready' }),
    run: (task, reason, idempotencyKey) =>
      call('task.reopen', { id: id(task), ...because(reason) }, { idempotencyKey }),
  },
]

/** The last one in every menu. */
export const CANCEL: Act = {
  id: 'cancel',
  label: en.acts.cancel,
  key: 'Shift+x',
  isDanger: true,
  applies: isOpen,
  question: (task) => ({
    text: en.asks.cancel(task.number),
    label: en.asks.reason,
    isRequired: isAgents(task),
  }),
  command: (task, reason) =>
    `waymark task cancel ${task.number}${forced(task)}${option('reason', reason)}`,
  guess: () => ({ status: 'cancelled', holder: undefined, column: undefined }),
  run: (task, reason, idempotencyKey) =>
    call('task.cancel', { id: id(task), ...force(task), ...because(reason) }, { idempotencyKey }),
  undo: (before) => call('task.reopen', { id: id(before) }),
}
