import { actsOn } from '../../acts/task-acts.ts'
import { perform } from '../../acts/perform.ts'
import { agents } from '../../data/agents.ts'
import type { Task } from '../../data/task/task.ts'
import { allTasks, taskAt } from '../../data/task/tasks.ts'
import { nameOf } from '../../parts/agent/agent-order.ts'
import { en } from '../../text/en.ts'
import { go, toAddress } from '../router.ts'
import { VIEWS } from '../views.ts'
import { findMatches } from './match.ts'
import { actedOn } from './palette-state.ts'
import { saveEntries } from './save-entries.ts'

/** One line of the palette. */
export interface Entry {
  readonly id: string
  readonly number?: number
  readonly label: string
  readonly hint: string
  readonly run: () => void
}

const LIMIT = 12

/** What the written text means: `>` acts, `#` numbers, `@` agents, `/` files, anything else all of it. */
export function entriesFor(text: string): readonly Entry[] {
  const rest = text.slice(1).trim()
  if (text.startsWith('>'))
    return findMatches([...actEntries(), ...viewEntries(), ...saveEntries()], labelOf, rest, LIMIT)
  if (text.startsWith('#')) return taskEntries(rest)
  if (text.startsWith('@')) return findMatches(agentEntries(), labelOf, rest, LIMIT)
  if (text.startsWith('/')) return [fileEntry(rest)]
  const others = [...actEntries(), ...viewEntries(), ...agentEntries(), ...saveEntries()]
  return [
    ...findMatches(others, labelOf, text, text === '' ? 20 : 5),
    ...(text === '' ? [] : taskEntries(text)),
  ].slice(0, 20)
}

const labelOf = ({ label }: Entry): string => label.toLowerCase()

function actEntries(): readonly Entry[] {
  const number = actedOn.value
  const task = number === undefined ? undefined : taskAt(number)
  if (task === undefined) return []
  return actsOn(task).map((act) => ({
    id: `act ${act.id}`,
    number: task.number,
    label: act.label,
    hint: act.command(task, ''),
    run: () => void perform(act, task),
  }))
}

function viewEntries(): readonly Entry[] {
  return VIEWS.filter(({ name }) => name !== 'task').map(({ name, path, key }) => ({
    id: `view ${name}`,
    label: en.keys.go(en.views[name]),
    hint: key === undefined ? '' : `g ${key}`,
    run: () => go(toAddress(path)),
  }))
}

function agentEntries(): readonly Entry[] {
  return agents.value.map((agent) => ({
    id: `agent ${agent.id}`,
    label: nameOf(agent),
    hint: en.palette.agent,
    run: () => go(toAddress('agents', nameOf(agent))),
  }))
}

function taskEntries(text: string): readonly Entry[] {
  const exact = /^\d+$/.test(text) ? taskAt(Number(text)) : undefined
  const found = findMatches(allTasks(), toSearched, text, LIMIT)
  return [...new Set(exact === undefined ? found : [exact, ...found])].map(
    ({ number, title, column }) => ({
      id: `task ${number}`,
      number,
      label: title,
      hint: column === undefined ? '' : en.columns[column],
      run: () => go(toAddress('t', number)),
    }),
  )
}

/** By task as it is now: a changed one is another object. */
const searched = new WeakMap<Task, string>()

function toSearched(task: Task): string {
  const known = searched.get(task)
  if (known !== undefined) return known
  const text = `${task.title} #${task.number}`.toLowerCase()
  searched.set(task, text)
  return text
}

/** Before the first key, so that it is answered as fast as the others. */
export function prepareTasks(): void {
  for (const task of allTasks()) toSearched(task)
}

function fileEntry(path: string): Entry {
  return { id: 'file', label: path, hint: en.palette.file, run: () => go(toAddress('code', path)) }
}
