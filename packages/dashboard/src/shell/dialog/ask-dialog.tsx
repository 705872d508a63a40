import { useState } from 'preact/hooks'
import type { Question } from '../../acts/act.ts'
import { openQuestion } from '../../acts/ask.ts'
import { Command } from '../../parts/command.tsx'
import { en } from '../../text/en.ts'
import { Dialog } from './dialog.tsx'

/** Asks what an act needs to know, and shows the command that does the same. */
export function AskDialog() {
  const open = openQuestion.value
  return open === undefined ? null : <AskForm key={open.question.text} {...open} />
}

function AskForm({
  title,
  question,
  command,
  isDanger,
  settle,
}: NonNullable<typeof openQuestion.value>) {
  const [answer, setAnswer] = useState(question.initial ?? '')
  const isMissing = question.isRequired && question.isConfirmation !== true && answer.trim() === ''
  return (
    <Dialog label={title} onClose={() => settle(undefined)}>
      <form
        class="dialog-body"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMissing) settle(answer.trim())
        }}
      >
        <h2>{question.text}</h2>
        <Field question={question} answer={answer} onAnswer={setAnswer} />
        {question.hint !== undefined && <p class="muted">{question.hint}</p>}
        {question.isRequired && question.label === en.asks.reason && (
          <p class="muted">{en.acts.needsReason}</p>
        )}
        <Command text={command(answer.trim())} />
        <footer>
          <button type="button" onClick={() => settle(undefined)}>
            {en.acts.dismiss}
          </button>
          <button
            type="submit"
            class={isDanger ? 'danger' : 'primary'}
            disabled={isMissing}
            autoFocus={question.isConfirmation === true}
          >
            {title.replace('…', '')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

interface FieldProps {
  readonly question: Question
  readonly answer: string
  readonly onAnswer: (answer: string) => void
}

function Field({ question, answer, onAnswer }: FieldProps) {
  const { label, options, isDate, isConfirmation } = question
  if (isConfirmation) return null
  if (options === undefined) {
    return (
      <input
        {...(isDate ? { type: 'date' as const } : {})}
        aria-label={label}
        value={answer}
        autoFocus
        onInput={({ currentTarget }) => onAnswer(currentTarget.value)}
      />
    )
  }
  return (
    <select
      aria-label={label}
      value={answer}
      autoFocus
      onChange={({ currentTarget }) => onAnswer(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.form?.requestSubmit()}
    >
      {options.map(({ value, label: text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}
