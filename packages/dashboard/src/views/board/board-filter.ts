import { type Task } from '../../data/task/task.ts'
import { en } from '../../text/en.ts'

/** One condition of a filter. */
type Condition = (task: Task) => boolean

/** `label:bug @ada p:high status:open words`: all of them must hold. */
export function parseFilter(text: string): Condition {
  const conditions = text.split(/\s+/).flatMap(toCondition)
  return (task) => conditions.every((holds) => holds(task))
}

function toCondition(part: string): readonly Condition[] {
  if (part === '') return []
  if (part.startsWith('@')) return [byPerson(part.slice(1).toLowerCase())]
  const [, name, value = ''] = /^(\w+):(.+)$/.exec(part) ?? []
  if (name === 'label') return [({ labels }) => labels.includes(value)]
  if (name === 'p' || name === 'priority')
    return [(task) => en.priorities[task.priority] === value || String(task.priority) === value]
  if (name === 'status') return [({ status, column }) => status === value || column === value]
  if (name === 'parent') return [({ parent }) => String(parent) === value.replace('#', '')]
  const word = part.toLowerCase()
  return [({ title, number }) => title.toLowerCase().includes(word) || `#${number}` === word]
}

function byPerson(name: string): Condition {
  return ({ holder, assignee }) =>
    holder?.name.toLowerCase() === name || assignee?.toLowerCase() === name
}
