import type { Task } from '../data/task/task.ts'

/** What the dialog of an act asks for. */
export interface Question {
  readonly text: string
  readonly label: string
  readonly isRequired: boolean
  /** Choices to pick from; without them the answer is a text. */
  readonly options?: readonly Choice[]
  readonly initial?: string
  readonly isDate?: boolean
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** Something that a person does to a task: by button, by key, or as the command that is shown with it. */
export interface Act {
  readonly id: string
  readonly label: string
  readonly key?: string
  readonly isDanger?: boolean
  readonly applies: (task: Task) => boolean
  readonly question?: (task: Task) => Question
  readonly command: (task: Task, answer: string) => string
  /** What the task will be like, shown until the server says so. */
  readonly guess?: (task: Task, answer: string) => Partial<Task>
  readonly run: (task: Task, answer: string, key: string) => Promise<unknown>
  /** Takes it back, where that restores exactly what was. */
  readonly undo?: (before: Task) => Promise<unknown>
}

/** A word for the shell, quoted when it needs to be. */
export function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `"${text.replaceAll(/(["\\$`])/g, '\\$1')}"`
}

export function option(name: string, value: string): string {
  return value === '' ? '' : ` --${name} ${quoted(value)}`
}
