import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { now } from '../../data/live/clock.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { formatDuration } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { route, setQuery } from '../../shell/router.ts'
import { insightWords } from '../../text/view/insight.ts'
import { formatNumber } from '../../text/plural.ts'

const DAYS = [1, 7, 30, 90] as const
const DAY = 86_400_000

type Insight = Output<'insight.show'>
type Row = Insight['unblocks_most'][number]

/** How work flows. Every figure stands above the rows that it is made of. */
export function InsightView() {
  const asked = Number(route.value.query.get('days'))
  const days = DAYS.find((choice) => choice === asked) ?? 7
  const loaded = useLoad((signal) => call('insight.show', { days }, { signal }), `days ${days}`, {
    when: (type) => /^\*|^task\.(?:done|verified|reopened)|^message\.sent/.test(type),
  })
  return (
    <div class="insight">
      <p class="filters">
        <Segmented
          label={insightWords.range}
          choices={DAYS}
          chosen={days}
          nameOf={insightWords.days}
          onChoose={(choice) => setQuery({ days: String(choice) })}
        />
      </p>
      <LoadedView of={loaded}>{(insight) => <Figures insight={insight} />}</LoadedView>
    </div>
  )
}

function Figures({ insight }: { readonly insight: Insight }) {
  const { days, lead_time, verification, questions } = insight
  return (
    <>
      <ul class="figures">
        <Figure
          value={formatNumber(lead_time.count)}
          name={insightWords.done}
          hint={insightWords.doneHint(days)}
        />
        <Figure
          value={formatDuration(lead_time.median)}
          name={insightWords.leadTime}
          hint={insightWords.leadHint}
        />
        <Figure
          value={formatDuration(insight.waited_for_people)}
          name={insightWords.waited}
          hint={insightWords.waitedHint}
        />
      </ul>
      <Throughput insight={insight} />
      <div class="health">
        <Rows
          heading={insightWords.unblocks}
          rows={insight.unblocks_most}
          show={insightWords.waits}
        />
        <Rows
          heading={insightWords.waiting}
          rows={insight.waiting_longest}
          show={(value) => formatDuration(value)}
        />
        <Rows heading={insightWords.questions} {...questions} show={formatDuration} />
        <Rows heading={insightWords.verification} {...verification} show={formatDuration} />
        <Rows heading={insightWords.leadTime} {...lead_time} show={formatDuration} />
      </div>
    </>
  )
}

interface FigureProps {
  readonly value: string
  readonly name: string
  readonly hint: string
}

function Figure({ value, name, hint }: FigureProps) {
  return (
    <li>
      <div class="figure panel">
        <strong>{value}</strong>
        <span>{name}</span>
        <span class="muted">{hint}</span>
      </div>
    </li>
  )
}

/** Tasks finished per day, as columns. */
function Throughput({ insight: { days, done_by_day } }: { readonly insight: Insight }) {
  const counts = new Map(done_by_day.map(([day, count]) => [day, count]))
  const today = Math.floor(now.peek() / DAY) * DAY
  const all = Array.from({ length: days }, (_, at) => today - (days - 1 - at) * DAY)
  const most = Math.max(1, ...counts.values())
  const words = done_by_day.map(([day, count]) => `${formatDay(day)}: ${count}`).join(', ')
  const step = Math.ceil(days / MOST_LABELS)
  return (
    <section class="panel" aria-labelledby="throughput">
      <header>
        <h2 id="throughput">{insightWords.byDay}</h2>
      </header>
      <div class="throughput" role="img" aria-label={`${insightWords.byDay}: ${words}`}>
        {all.map((day, at) => {
          const count = counts.get(day) ?? 0
          return (
            <div key={day} title={`${formatDay(day)}: ${count}`}>
              <span class="day-count">{count > 0 && days <= MOST_LABELS ? count : ''}</span>
              <span class="day-bar" style={{ height: `${(100 * count) / most}%` }} />
              <span class="day-name">{(days - 1 - at) % step === 0 ? formatDay(day) : ''}</span>
            </div>
          )
        })}
      </div>
    </section>
  )
}

/** Days side by side whose names have room. */
const MOST_LABELS = 10

const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

function formatDay(day: number): string {
  return dayFormat.format(day)
}

interface RowsProps {
  readonly heading: string
  readonly rows: readonly Row[]
  readonly count?: number
  readonly show: (value: number) => string
}

function Rows({ heading, rows, count, show }: RowsProps) {
  return (
    <section class="panel">
      <header>
        <h2>{heading}</h2>
        {count !== undefined && <span class="muted count">{insightWords.more(count)}</span>}
      </header>
      {rows.length === 0 && <p class="empty">{insightWords.none}</p>}
      <ul class="rows">
        {rows.slice(0, 10).map(({ number, title, value }) => (
          <li key={`${number} ${title}`} class="row">
            <span class="grow clip">
              {number === undefined ? title : <TaskLink number={number} title={title} />}
            </span>
            <span class="muted">{show(value)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
