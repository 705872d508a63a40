import { useState } from 'preact/hooks'
import type { AppReason, AppSource } from '../../../waymark/src/dialects/waymark/apps/views.ts'
import { mount, type PageProps } from './app.tsx'
import { words } from './words.ts'
import './apps.css'

function Why({ data, host }: PageProps<AppSource>) {
  const { file, first_line: first, lines, is_cut: isCut, reasons } = data
  const [chosen, choose] = useState<AppReason>()
  const isMarked = (number: number, { lines: place }: AppReason): boolean =>
    place !== undefined && place.start <= number && number <= place.end
  return (
    <div class="why">
      <section aria-label={file}>
        <h2>{file}</h2>
        <pre tabIndex={0}>
          {lines.map((text, at) => {
            const number = first + at
            const isChosen = chosen !== undefined && isMarked(number, chosen)
            const isTold = reasons.some((reason) => isMarked(number, reason))
            return (
              <span key={number} class={`line${isTold ? ' told' : ''}${isChosen ? ' chosen' : ''}`}>
                <span class="number">{number}</span>
                {text}
                {'\n'}
              </span>
            )
          })}
        </pre>
        {isCut && <p class="muted">{words.cut}</p>}
      </section>
      <section aria-label={words.reasons}>
        <h2>{words.reasons}</h2>
        {reasons.length === 0 && <p class="muted">{words.noReasons}</p>}
        <ul>
          {reasons.map((reason, at) => (
            <li key={at} class={`card${reason === chosen ? ' chosen' : ''}`}>
              <p>{reason.text}</p>
              <p class="facts">
                {[placeOf(reason), reason.state, reason.commit, reason.by]
                  .filter((fact) => fact !== undefined)
                  .join(' · ')}
              </p>
              {reason.lines !== undefined && (
                <button type="button" onClick={() => choose(reason)}>
                  {placeOf(reason)}
                </button>
              )}
              <button
                type="button"
                onClick={() => void host.say(words.explainMessage(file, placeOf(reason)))}
              >
                {words.explain}
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

function placeOf({ lines }: AppReason): string {
  return lines === undefined ? words.wholeFile : words.lines(lines.start, lines.end)
}

mount<AppSource>({ name: 'why', tool: 'show_why', Page: Why })
