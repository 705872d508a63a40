import type { Output } from '../../api.ts'
import { call, CallError } from '../../data/call.ts'
import { type Job, runningJobs } from '../../data/jobs.ts'
import { say } from '../../data/notices.ts'
import { me } from '../../data/session.ts'
import { Command } from '../../parts/command.tsx'
import { Ago } from '../../parts/time.tsx'
import { en } from '../../text/en.ts'
import { healthWords } from '../../text/view/health.ts'

const KINDS = ['doctor', 'check', 'repair', 'verify', 'sync', 'index'] as const
type Kind = (typeof KINDS)[number]

type Last = Output<'health.show'>['last'][number]

/** Long checks: each with its last outcome and a button; the one that runs with how far it is. */
export function Jobs({ last }: { readonly last: readonly Last[] }) {
  const [running] = runningJobs.value
  return (
    <section class="panel jobs" aria-label={healthWords.jobs}>
      <header>
        <h2>{healthWords.jobs}</h2>
        <span class="muted count">{healthWords.jobsHint}</span>
      </header>
      <ul class="rows">
        {KINDS.map((kind) => (
          <JobRow
            key={kind}
            kind={kind}
            running={running}
            last={last.find(({ job }) => job.kind === kind)}
          />
        ))}
      </ul>
    </section>
  )
}

interface RowProps {
  readonly kind: Kind
  readonly running: Job | undefined
  readonly last: Last | undefined
}

function JobRow({ kind, running, last }: RowProps) {
  const words = healthWords.kinds[kind]
  const isRunning = running?.kind === kind
  return (
    <li class="job">
      <div class="job-head">
        <strong>{words.name}</strong>
        {last !== undefined && !isRunning && <Outcome last={last} />}
        <span class="grow" />
        {isRunning ? (
          <button
            type="button"
            aria-keyshortcuts="Shift+x"
            title={`waymark job cancel ${running.id}`}
            onClick={() => void cancel(running.id)}
          >
            {healthWords.cancel}
          </button>
        ) : (
          <button
            type="button"
            aria-label={`${words.run}: ${words.name}`}
            aria-keyshortcuts="r"
            title={`waymark job start ${kind}`}
            disabled={running !== undefined || me.value?.read_only === true}
            onClick={() => void start(kind)}
          >
            {words.run}
          </button>
        )}
      </div>
      {isRunning ? <Progress job={running} /> : <p class="muted">{words.about}</p>}
      {!isRunning && last !== undefined && <Findings findings={last.findings} />}
    </li>
  )
}

function Outcome({ last: { job, ok, findings } }: { readonly last: Last }) {
  return (
    <>
      <span class={ok ? 'mark ok' : 'mark warn'}>
        {ok ? `✓ ${healthWords.ok}` : `▲ ${healthWords.findings(findings.length)}`}
      </span>
      {job.ended_at !== undefined && <Ago at={Date.parse(job.ended_at)} />}
    </>
  )
}

function Progress({ job: { done, total, message } }: { readonly job: Job }) {
  return (
    <p class="job-progress" role="status">
      <progress aria-label={healthWords.running} {...(total > 0 && { value: done, max: total })} />
      <span class="muted clip">{message ?? healthWords.running}</span>
    </p>
  )
}

function Findings({ findings }: { readonly findings: Last['findings'] }) {
  return (
    <ul class="findings">
      {findings.map(({ name, status, message, fix }) => (
        <li key={`${name} ${message}`}>
          <span class={status === 'failed' ? 'mark bad' : 'mark warn'}>
            {status === 'failed' ? '✕' : '▲'} {name}
          </span>{' '}
          {message}
          {fix !== undefined &&
            (fix.startsWith('waymark ') ? <Command text={fix} /> : <p>{fix}</p>)}
        </li>
      ))}
    </ul>
  )
}

async function start(kind: Kind): Promise<void> {
  try {
    const { job } = await call('job.start', { kind })
    runningJobs.value = [job]
    say('ok', `waymark job start ${kind}`)
  } catch (error) {
    say('bad', error instanceof CallError ? error.message : en.empty.failed)
  }
}

async function cancel(id: number): Promise<void> {
  await call('job.cancel', { id })
  say('ok', `waymark job cancel ${id}`)
}
