import { change } from '../core/change.ts'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { hasEnded, thisProcess } from '../support/process-identity.ts'
import { JOBS, type JobKind } from './kinds.ts'
import type { JobProgress, JobState } from './store.ts'

/** How often progress is recorded and a cancellation looked for. */
const BEAT_MS = 500

/** A larger output is not kept. */
const LARGEST_RESULT = 256 * 1024

interface StartedJob {
  readonly id: number
  /** Resolves when the end is recorded; never rejects. */
  readonly ended: Promise<void>
}

/** Starts a job in a worker thread. Refused while another one runs, in whichever process. */
export async function startJob(context: Context, kind: JobKind): Promise<StartedJob> {
  if (context.project?.state === undefined)
    throw new Failure('conflict', 'jobs run where the working tree is; this project has none here')
  await endLostJobs(context)
  const id = await change(context, async ({ jobs, stamp, announce }) => {
    const [running] = await jobs.running()
    if (running !== undefined) throw alreadyRunning(running)
    const started = await jobs.insert({
      kind,
      startedBy: stamp.by,
      process: thisProcess(),
      startedAt: stamp.at,
    })
    await announce('job.started', `job:${started}`, { job: started, name: kind })
    return started
  })
  return { id, ended: follow(context, id, kind) }
}

/** Jobs whose process has ended are over. */
export async function endLostJobs(context: Context): Promise<void> {
  const lost = (await context.store.jobs.running()).filter((row) => hasEnded(row.process))
  for (const { id, kind } of lost) await recordEnd(context, id, { kind, state: 'lost' })
}

async function follow(context: Context, id: number, kind: JobKind): Promise<void> {
  const stop = new AbortController()
  let progress: JobProgress = { done: 0, total: 0, message: null }
  const jobContext: Context = {
    ...context,
    signal: stop.signal,
    progress: (done, total, message) => {
      progress = { done, total, message }
    },
  }
  let recorded = progress
  const record = async (): Promise<void> => {
    const current = progress
    if (current !== recorded) await context.store.write((tx) => tx.jobs.advance(id, current))
    recorded = current
    if (await context.store.jobs.isCancelled(id))
      stop.abort(new Failure('cancelled', 'the job was cancelled'))
  }
  // A beat that fails is made up for by the next.
  const beat = setInterval(() => void record().catch(() => {}), BEAT_MS)
  const end = await run(jobContext, kind)
  clearInterval(beat)
  const state = stop.signal.aborted ? 'cancelled' : end.state
  await recordEnd(context, id, { kind, ...end, state }).catch((error: unknown) =>
    context.logger.error('the end of a job could not be recorded', { cause: error }),
  )
}

interface JobEnd {
  readonly kind: string
  readonly state: JobState
  readonly result?: string
}

async function run(context: Context, kind: JobKind): Promise<Omit<JobEnd, 'kind'>> {
  const { runInThread } = await import('../core/worker/operation-thread.ts')
  const { operation, input } = JOBS[kind]
  try {
    const text = JSON.stringify(await runInThread(context, operation, input))
    return { state: 'done', result: text.length <= LARGEST_RESULT ? text : '{}' }
  } catch (error) {
    const message = error instanceof Failure ? error.message : 'it failed unexpectedly'
    if (!(error instanceof Failure)) context.logger.error('a job failed', { cause: error })
    return { state: 'failed', result: JSON.stringify({ error: message }) }
  }
}

async function recordEnd(context: Context, id: number, end: JobEnd): Promise<void> {
  // The call that started it may be over, and its key has been answered.
  const { repeatable: _, ...own } = { ...context, signal: new AbortController().signal }
  await change(own, async ({ jobs, stamp, announce }) => {
    await jobs.end(id, { at: stamp.at, state: end.state, result: end.result ?? null })
    await announce('job.ended', `job:${id}`, { job: id, name: end.kind, state: end.state })
  })
}

function alreadyRunning({ id, kind }: { readonly id: number; readonly kind: string }): Failure {
  const message = `job ${id} (${kind}) is running; wait for it or cancel it: waymark job cancel ${id}`
  return new Failure('busy', message, { details: { job: id } })
}
