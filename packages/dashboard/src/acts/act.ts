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
  /** Nothing is to be written: only yes or no. */
  readonly isConfirmation?: boolean
  /** Said under the field. */
  readonly hint?: string
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** Something that a person does to a task or another thing: by button, by key, or as the command that is shown with it. */
export interface Act<Of = Task> {
  readonly id: string
  readonly label: string
  readonly key: string
  readonly isDanger?: boolean
  readonly applies: (of: Of) => boolean
  readonly question?: (of: Of) => Question
  readonly command: (of: Of, answer: string) => string
  /** What it will be like, shown until the server says so. */
  readonly guess?: (of: Of, answer: string) => Partial<Of>
  readonly run: (of: Of, answer: string, key: string) => Promise<unknown>
  /** Takes it back, where that restores exactly what was. */
  readonly undo?: (before: Of) => Promise<unknown>
}

/** A word for the shell, quoted when it needs to be. */
export function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `"${text.replaceAll(/(["\\$`])/g, '\\$1')}"`
}

export function option(name: string, value: string): string {
  return value === '' ? '' : ` --${name} ${quoted(value)}`
}
