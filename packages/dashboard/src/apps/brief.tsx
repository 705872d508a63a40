import type { ComponentChildren } from 'preact'
import type { Output } from '../api.ts'
import { mount, type PageProps } from './app.tsx'
import { words } from './words.ts'
import './apps.css'

type Brief = Partial<Output<'brief.show'>>

/** Answers come from the person alone, so this names the command: what is clicked here arrives as the agent's call. */
function BriefPage({ data, host }: PageProps<Brief>) {
  const { next = '', leases = [], messages = [], ready = [], agents = [], changes = [] } = data
  const asked = data.asked_owner ?? []
  return (
    <div class="brief">
      <p class="next">
        <b>{words.next}</b> {next}
      </p>
      <Part title={words.needsYou} rows={asked}>
        {({ id, text }) => (
          <>
            {text} <code>{words.answerWith(id)}</code>
          </>
        )}
      </Part>
      <Part title={words.yours} rows={leases}>
        {({ number, title, seconds_left }) => (
          <>
            <Titled number={number} title={title} />{' '}
            <span class="muted">{words.minutes(Math.round(seconds_left / 60))}</span>
          </>
        )}
      </Part>
      <Part title={words.messages} rows={messages}>
        {({ from, text }) => (
          <>
            <b>{from}</b> {text}
          </>
        )}
      </Part>
      <Part title={words.readyTasks} rows={ready}>
        {({ number, title }) => (
          <>
            <Titled number={number} title={title} />{' '}
            <button type="button" onClick={() => void host.say(words.doThisMessage(number, title))}>
              {words.doThis}
            </button>
          </>
        )}
      </Part>
      <Part title={words.others} rows={agents}>
        {({ name, number, title, gone }) => (
          <>
            <b>{name}</b>{' '}
            {number === undefined || title === undefined ? (
              <span class="muted">{gone === true ? words.gone : words.idle}</span>
            ) : (
              <Titled number={number} title={title} />
            )}
          </>
        )}
      </Part>
      <Part title={words.news} rows={changes}>
        {({ what, number, title }) => (
          <>
            {what} <Titled number={number} title={title} />
          </>
        )}
      </Part>
    </div>
  )
}

function Titled({ number, title }: { readonly number: number; readonly title: string }) {
  return (
    <>
      <span class="muted">#{number}</span> {title}
    </>
  )
}

interface PartProps<Row> {
  readonly title: string
  readonly rows: readonly Row[]
  readonly children: (row: Row) => ComponentChildren
}

function Part<Row>({ title, rows, children }: PartProps<Row>) {
  if (rows.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {rows.map((row, at) => (
          <li key={at}>{children(row)}</li>
        ))}
      </ul>
    </section>
  )
}

mount<Brief>({ name: 'brief', tool: 'show_brief', Page: BriefPage, isAskedOnce: true })
