import { batch, type Signal, signal } from '@preact/signals'
import { placeIn } from '../place.ts'
import { COLUMNS, type Column, compareTasks, type Task } from './task.ts'

/** One signal per task and one list per column: a card that changes draws itself, not its column. */
const cells = new Map<number, Signal<Task>>()
const lists = Object.fromEntries(
  COLUMNS.map((column) => [column, signal<readonly number[]>([])]),
) as Record<Column, Signal<readonly number[]>>

/** Counts of all tasks in the project, also of those that were not sent. */
export const totals = signal<Readonly<Record<string, number>>>({})

/** Grows with each change of any task, for parts that read many. */
export const tasksVersion = signal(0)

/** When other people's changes arrived, for the tint that fades. */
export const changedAt = new Map<number, number>()

export function listOf(column: Column): Signal<readonly number[]> {
  return lists[column]
}

/** Events name tasks by id. */
const numbers = new Map<string, number>()

/** The task that an event or a relation is about, by its number or its id. */
export function taskOf(subject: string): Task | undefined {
  return taskAt(numbers.get(subject) ?? Number(subject))
}

export function taskCell(number: number): Signal<Task> | undefined {
  return cells.get(number)
}

export function taskAt(number: number): Task | undefined {
  return cells.get(number)?.value
}

export function allTasks(): readonly Task[] {
  const version = tasksVersion.peek()
  if (listed.version !== version)
    listed = { version, tasks: Array.from(cells.values(), (cell) => cell.peek()) }
  return listed.tasks
}

/** The palette asks for all of them with each key. */
let listed: { readonly version: number; readonly tasks: readonly Task[] } = {
  version: -1,
  tasks: [],
}

/** Replaces everything by a snapshot. */
export function setTasks(tasks: readonly Task[]): void {
  batch(() => {
    const seen = new Set(tasks.map(({ number }) => number))
    for (const number of cells.keys()) if (!seen.has(number)) cells.delete(number)
    for (const task of tasks) setCell(task)
    for (const column of COLUMNS) {
      const inColumn = tasks.filter((task) => task.column === column)
      lists[column].value = inColumn.toSorted(compareTasks).map(({ number }) => number)
    }
    tasksVersion.value += 1
  })
}

/** Puts a task into its column at its place, or takes it out. */
export function putTask(task: Task): void {
  batch(() => {
    const before = cells.get(task.number)?.peek()
    if (
      before?.column !== undefined &&
      (before.column !== task.column || compareTasks(before, task) !== 0)
    )
      removeFrom(before.column, task.number)
    setCell(task)
    if (task.column !== undefined) insertInto(task.column, task)
    tasksVersion.value += 1
  })
}

export function removeTask(number: number): void {
  const before = cells.get(number)?.peek()
  if (before?.column !== undefined) removeFrom(before.column, number)
  cells.delete(number)
  tasksVersion.value += 1
}

function setCell(task: Task): void {
  const cell = cells.get(task.number)
  numbers.set(task.id, task.number)
  if (cell === undefined) cells.set(task.number, signal(task))
  else cell.value = task
}

function removeFrom(column: Column, number: number): void {
  lists[column].value = lists[column].peek().filter((other) => other !== number)
}

function insertInto(column: Column, task: Task): void {
  const list = lists[column].peek()
  const compare = (one: number, other: number): number =>
    compareTasks(cells.get(one)?.peek() ?? task, cells.get(other)?.peek() ?? task)
  const place = placeIn(list, task.number, compare)
  if (list[place] === task.number) return
  lists[column].value = list.toSpliced(place, 0, task.number)
}
