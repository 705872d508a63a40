import { agents } from '../data/agents.ts'
import { call } from '../data/call.ts'
import { en } from '../text/en.ts'
import { type Act, option, quoted } from './act.ts'
import { reorder, toCommand, toPlace } from './order-act.ts'
import { force, forced, id, isFree, isOpen } from './task-rules.ts'

const PRIORITIES = Object.entries(en.priorities).map(([value, label]) => ({ value, label }))
const STATUSES = Object.entries(en.statuses).map(([value, label]) => ({ value, label }))

/** What is done when, by whom and in which order. */
export const PLAN_ACTS: readonly Act[] = [
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
    key: 'Shift+o',
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
    key: 'Shift+l',
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
    id: 'due',
    label: en.acts.due,
    key: 'Shift+u',
    applies: isFree,
    question: (task) => ({
      text: en.asks.due(task.number),
      label: en.acts.due,
      isRequired: false,
      isDate: true,
      initial: task.due ?? '',
    }),
    command: (task, date) =>
      `waymark task update ${task.number} --due-date ${date === '' ? 'null' : date}`,
    guess: (_, date) => ({ due: date === '' ? undefined : date }),
    run: (task, date, idempotencyKey) =>
      call(
        'task.update',
        { id: id(task), due_date: date === '' ? null : date },
        { idempotencyKey },
      ),
    undo: (before) => call('task.update', { id: id(before), due_date: before.due ?? null }),
  },
  {
    id: 'status',
    label: en.acts.status,
    key: 's',
    applies: isFree,
    question: (task) => ({
      text: en.asks.status(task.number),
      label: en.acts.status,
      isRequired: true,
      options: STATUSES,
      initial: task.status,
    }),
    command: (task, status) => `waymark task update ${task.number} --status ${status}`,
    run: (task, status, idempotencyKey) =>
      call('task.update', { id: id(task), status: toStatus(status) }, { idempotencyKey }),
    undo: (before) => call('task.update', { id: id(before), status: toStatus(before.status) }),
  },
  {
    id: 'split',
    label: en.acts.split,
    key: 'Shift+s',
    applies: isOpen,
    question: (task) => ({
      text: en.asks.split(task.number),
      label: en.newTask.title,
      isRequired: true,
    }),
    command: (task, title) => `waymark task add ${quoted(title)} --parent ${task.number}`,
    run: (task, title, idempotencyKey) =>
      call('task.create', { title, parent: id(task) }, { idempotencyKey }),
  },
]

type Status = 'blocked' | 'in_progress' | 'todo'

function toStatus(text: string): Status {
  return text === 'blocked' || text === 'in_progress' ? text : 'todo'
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
