import { signal } from '@preact/signals'
import type { Question } from './act.ts'

export interface Asked {
  readonly title: string
  readonly question: Question
  /** The command that does the same, with the answer as far as it is written. */
  readonly command: (answer: string) => string
  readonly isDanger: boolean
}

interface Open extends Asked {
  readonly settle: (answer: string | undefined) => void
}

export const openQuestion = signal<Open | undefined>(undefined)

/** Asks in a dialog; undefined when it was dismissed. */
export function ask(asked: Asked): Promise<string | undefined> {
  openQuestion.peek()?.settle(undefined)
  return new Promise((resolve) => {
    openQuestion.value = {
      ...asked,
      settle: (answer) => {
        openQuestion.value = undefined
        resolve(answer)
      },
    }
  })
}
