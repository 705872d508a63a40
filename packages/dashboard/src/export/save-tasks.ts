import { projectName } from '../data/project.ts'
import { COLUMNS, type Task } from '../data/task/task.ts'
import { listOf, taskAt } from '../data/task/tasks.ts'
import { en } from '../text/en.ts'
import { saveFile } from './save-file.ts'

/** All tasks of the board that the filter lets through, also those that are scrolled away. */
export function boardTasks(holds: (task: Task) => boolean): readonly Task[] {
  return COLUMNS.flatMap((column) => listOf(column).peek())
    .flatMap((number) => taskAt(number) ?? [])
    .filter(holds)
}

export function saveTasksAsCsv(tasks: readonly Task[]): void {
  const lines = [NAMES, ...tasks.map((task) => Object.values(toFields(task)))]
  const text = lines.map((values) => values.map(toCell).join(',')).join('\r\n')
  saveFile(`${projectName.peek()}-board.csv`, 'text/csv', `${text}\r\n`)
}

export function saveTasksAsJson(tasks: readonly Task[]): void {
  const text = JSON.stringify(tasks.map(toFields), undefined, 2)
  saveFile(`${projectName.peek()}-board.json`, 'application/json', `${text}\n`)
}

export interface TaskFields {
  readonly number: number
  readonly title: string
  readonly column: string
  readonly priority: string
  readonly holder: string
  readonly assignee: string
  readonly labels: string
  readonly due: string
  readonly waits_for: string
}

export const NAMES: readonly (keyof TaskFields)[] = [
  'number',
  'title',
  'column',
  'priority',
  'holder',
  'assignee',
  'labels',
  'due',
  'waits_for',
]

export function toFields(task: Task): TaskFields {
  return {
    number: task.number,
    title: task.title,
    column: task.column === undefined ? task.status : en.columns[task.column],
    priority: en.priorities[task.priority] ?? String(task.priority),
    holder: task.holder?.name ?? '',
    assignee: task.assignee ?? '',
    labels: task.labels.join(' '),
    due: task.due ?? '',
    waits_for: task.waitsFor.map((number) => `#${number}`).join(' '),
  }
}

/** Spreadsheets run what begins like a formula, so a quote goes before it. */
function toCell(value: number | string): string {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
