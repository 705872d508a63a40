import { useState } from 'preact/hooks'
import { quoted } from '../../acts/act.ts'
import { call } from '../../data/call.ts'
import type { Question as QuestionOf } from '../../data/task/needs.ts'
import { say } from '../../data/notices.ts'
import { messages } from '../../data/task/questions.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { me } from '../../data/session.ts'
import { Command } from '../../parts/command.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { Ago } from '../../parts/time.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { en } from '../../text/en.ts'
import { splitOptions } from './question-options.ts'

/** A question of an agent, answered where it is read. */
export function Question({ question }: { readonly question: QuestionOf }) {
  const { id, number, text, from } = question
  const message = messages.value.find((one) => one.id === id)
  const name = id === undefined ? String(number) : `m${id}`
  const asked = splitOptions(message?.body ?? text)
  return (
    <li class="need question">
      <div class="row">
        <StateMark state="question" shapeOnly />
        <span class="grow">
          {from === undefined ? en.now.aQuestion : <Who name={from} />}{' '}
          {message?.task_number !== undefined && (
            <span class="muted">
              {en.now.asksAbout}{' '}
              <TaskLink number={message.task_number} title={taskAt(message.task_number)?.title} />
            </span>
          )}
          {number !== undefined && <TaskLink number={number} />}
        </span>
        {message !== undefined && <Ago at={Date.parse(message.at)} />}
      </div>
      <p class="question-text">{asked.text}</p>
      <Answer name={name} to={from} options={asked.options} />
    </li>
  )
}

interface AnswerProps {
  readonly name: string
  readonly to: string | undefined
  readonly options: readonly string[]
}

function Answer({ name, to, options }: AnswerProps) {
  const [text, setText] = useState('')
  const isReadOnly = me.value?.read_only === true
  const send = async (body: string): Promise<void> => {
    if (body.trim() === '') return
    try {
      await call('message.answer', { question: name, body: body.trim() })
      setText('')
      say('ok', toCommand(name, body.trim()) + (to === undefined ? '' : ` · ${en.now.told(to)}`))
    } catch (error) {
      say('bad', (error as Error).message)
    }
  }
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        void send(text)
      }}
    >
      {options.map((option, at) => (
        <button
          key={option}
          type="button"
          disabled={isReadOnly}
          aria-keyshortcuts={String(at + 1)}
          title={toCommand(name, option)}
          onClick={() => void send(option)}
        >
          {option}
        </button>
      ))}
      <input
        class="grow"
        aria-label={`${en.now.answer} ${name}`}
        aria-keyshortcuts="a"
        placeholder={en.now.answer}
        value={text}
        disabled={isReadOnly}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={isReadOnly || text.trim() === ''}>
        {en.now.send}
      </button>
      {text.trim() !== '' && <Command text={toCommand(name, text.trim())} />}
    </form>
  )
}

function toCommand(name: string, body: string): string {
  return `waymark answer ${name} ${quoted(body)}`
}
