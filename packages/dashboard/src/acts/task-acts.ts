import { agents } from '../data/agents.ts'
import { call } from '../data/call.ts'
import { me } from '../data/session.ts'
import type { Task } from '../data/task/task.ts'
import { en } from '../text/en.ts'
import { type Act, option, quoted } from './act.ts'
import { reorder, toCommand, toPlace } from './order-act.ts'

const isOpen = (task: Task): boolean => task.status !== 'done' && task.status !== 'cancelled'
const isMine = ({ holder }: Task): boolean => holder !== undefined && holder.name === me.value?.name
const isAgents = (task: Task): boolean => task.holder !== undefined && !isMine(task)
/** Forcing any change of a held task would end its lease, so only acts that say so are offered for it. */
export const isFree = (task: Task): boolean => isOpen(task) && !isAgents(task)
const id = (task: Task): string => String(task.number)

/** Overruling an agent needs force, and says so in the command too. */
const force = (task: Task): { force?: true } => (isAgents(task) ? { force: true } : {})
const forced = (task: Task): string => (isAgents(task) ? ' --force' : '')
const because = (reason: string): { reason?: string } => (reason === '' ? {} : { reason })

const PRIORITIES = Object.entries(en.priorities).map(([value, label]) => ({ value, label }))

/** Every act on a task, in the order of menus. Boards, pages, keys and the palette all read this list. */
export const TASK_ACTS: readonly Act[] = [
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
  {
    id: 'priority',
    label: en.acts.priority,
    key: 'p',
    applies: isFree,
    question: (task) => ({
      text: en.asks.priority(task.number),
      label: en.acts.priority,
      isRequired: true,
      options: PRIORITIES,
      initial: String(task.priority),
    }),
    command: (task, value) =>
      `waymark task update ${task.number} --priority ${en.priorities[Number(value)] ?? value}`,
    guess: (_, value) => ({ priority: Number(value) }),
    run: (task, value, idempotencyKey) =>
      call('task.update', { id: id(task), priority: Number(value) }, { idempotencyKey }),
    undo: (before) => call('task.update', { id: id(before), priority: before.priority }),
  },
  {
    id: 'order',
    label: en.acts.order,
    applies: isFree,
    question: (task) => ({
      text: en.asks.order(task.number),
      label: en.acts.order,
      isRequired: true,
    }),
    command: (task, before) => toCommand(task.number, toPlace(before)),
    run: (task, before, idempotencyKey) =>
      reorder(task.number, toPlace(before), { idempotencyKey }),
  },
  {
    id: 'assign',
    label: en.acts.assign,
    key: 'a',
    applies: isOpen,
    question: (task) => ({
      text: en.asks.assign(task.number),
      label: en.acts.assign,
      isRequired: false,
      options: [{ value: '', label: en.asks.noAgent }, ...agentChoices()],
      initial: task.assignee ?? '',
    }),
    command: (task, who) =>
      `waymark task update ${task.number} --assignee ${quoted(who || 'null')}${forced(task)}`,
    guess: (_, who) => ({ assignee: who === '' ? undefined : who }),
    run: (task, who, idempotencyKey) =>
      call(
        'task.update',
        { id: id(task), assignee: who === '' ? null : who, ...force(task) },
        { idempotencyKey },
      ),
    undo: (before) => call('task.update', { id: id(before), assignee: before.assignee ?? null }),
  },
  {
    id: 'label',
    label: en.acts.label,
    key: 'l',
    applies: isFree,
    question: (task) => ({
      text: en.asks.label(task.number),
      label: en.acts.label,
      isRequired: false,
      initial: task.labels.join(', '),
    }),
    command: (task, text) =>
      `waymark task update ${task.number}${toLabels(text)
        .map((label) => option('label', label))
        .join('')}`,
    guess: (_, text) => ({ labels: toLabels(text) }),
    run: (task, text, idempotencyKey) =>
      call('task.update', { id: id(task), labels: toLabels(text) }, { idempotencyKey }),
    undo: (before) => call('task.update', { id: id(before), labels: before.labels }),
  },
  {
    id: 'wait',
    label: en.acts.wait,
    key: 'r',
    applies: isFree,
    question: (task) => ({
      text: en.asks.wait(task.number),
      label: en.acts.wait,
      isRequired: true,
    }),
    command: (task, other) =>
      `waymark task update ${task.number} --add-depends-on ${toNumber(other)}`,
    run: (task, other, idempotencyKey) =>
      call('task.update', { id: id(task), add_depends_on: [toNumber(other)] }, { idempotencyKey }),
  },
  {
    id: 'defer',
    label: en.acts.defer,
    key: 'Shift+d',
    applies: isFree,
    question: (task) => ({
      text: en.asks.defer(task.number),
      label: en.acts.defer,
      isRequired: true,
      isDate: true,
    }),
    command: (task, until) => `waymark task defer ${task.number} ${quoted(until)}`,
    run: (task, until, idempotencyKey) =>
      call('task.defer', { id: id(task), until }, { idempotencyKey }),
  },
  {
    id: 'cancel',
    label: en.acts.cancel,
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
  },
]

export function actsOn(task: Task): readonly Act[] {
  return TASK_ACTS.filter((act) => act.applies(task))
}

function agentChoices() {
  return agents.value.flatMap(({ name }) =>
    name === undefined ? [] : [{ value: name, label: name }],
  )
}

function toLabels(text: string): readonly string[] {
  return text.split(',').flatMap((label) => (label.trim() === '' ? [] : [label.trim()]))
}

function toNumber(text: string): string {
  return text.trim().replace(/^#/, '')
}
