import * as z from 'zod'
import { oneOf } from '../core/input/schema.ts'
import type { ReadContext } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { lookUp } from '../support/look-up.ts'
import { defineOperation } from '../core/operation.ts'
import { type Column, type Line, line, lines, table, when } from '../core/show.ts'
import { JOB_AREAS, JOB_KINDS } from './kinds.ts'
import { endLostJobs, startJob } from './run-job.ts'
import { jobView, type JobView, toJobView } from './view.ts'
import type { createJobReader, JobRow } from './store.ts'

const resultOf = z.record(z.string(), z.unknown())
const id = z.int().min(1).describe('Number of the job')

export const startJobOperation = defineOperation({
  name: 'job.start',
  summary: 'Start a long check or repair in the background; one runs at a time',
  example: 'check',
  effect: 'write',
  areasBy: { field: 'kind', areas: JOB_AREAS },
  input: z.object({
    kind: oneOf(JOB_KINDS).describe(
      'check or repair the store, doctor, verify annotations, sync, or rebuild the search index',
    ),
  }),
  output: z.object({ job: jobView }),
  positional: ['kind'],
  async run(context, { kind }) {
    const { id: started, ended } = await startJob(context, kind)
    // A server goes on while the job runs; a command would end it.
    if (context.offload === undefined) await ended
    return { job: await findJob(context, started) }
  },
  show: ({ job }) => [showJob(job)],
})

export const listJobs = defineOperation({
  name: 'job.list',
  summary: 'List the jobs that run and those that ended, the newest first',
  example: '',
  effect: 'read',
  input: z.object({ limit: z.int().min(1).max(100).default(20).describe('How many at most') }),
  output: z.object({ jobs: z.array(jobView) }),
  async run({ store }, { limit }) {
    return { jobs: (await store.jobs.newest(limit)).map(toJobView) }
  },
  show: ({ jobs }) => [jobs.length === 0 ? line`no job was started yet` : table(jobs, COLUMNS)],
})

export const showJobOperation = defineOperation({
  name: 'job.show',
  summary: 'Show a job with its result',
  example: '3',
  effect: 'read',
  input: z.object({ id }),
  output: z.object({
    job: jobView,
    result: resultOf.optional().describe('What the operation answered, once it has ended'),
  }),
  positional: ['id'],
  async run({ store, access }, { id: wanted }) {
    const row = await store.jobs.byId(wanted)
    if (row === undefined) throw missing(wanted)
    assertMayRead(access, row)
    return {
      job: toJobView(row),
      ...(row.result !== null && { result: resultOf.parse(JSON.parse(row.result)) }),
    }
  },
  show: ({ job, result }) => [
    showJob(job),
    ...(result === undefined ? [] : lines(JSON.stringify(result, null, 2))),
  ],
})

export const cancelJob = defineOperation({
  name: 'job.cancel',
  summary: 'Stop a running job',
  example: '3',
  effect: 'write',
  input: z.object({ id }),
  output: z.object({ job: jobView, cancelled: z.boolean().describe('False if it had ended') }),
  positional: ['id'],
  async run(context, { id: wanted }) {
    await endLostJobs(context)
    const cancelled = await context.store.write((tx) => tx.jobs.cancel(wanted))
    return { job: await findJob(context, wanted), cancelled }
  },
  show: ({ job, cancelled }) => [
    cancelled ? line`job ${job.id} (${job.kind}) stops` : showJob(job),
  ],
})

/** Reading the result of a job needs read access to what the job examined. */
function assertMayRead({ scopes }: ReadContext['access'], { id: job, kind }: JobRow): void {
  const areas: readonly string[] = lookUp(JOB_AREAS, kind) ?? []
  const needed = areas.map((area) => `${area}:read`)
  const missing = needed.filter((scope) => scopes?.has(scope) === false)
  if (missing.length === 0) return
  throw new Failure('forbidden', `job ${job} (${kind}) needs the scope ${missing.join(', ')}`, {
    details: { reason: 'insufficient_scope', scopes: needed },
  })
}

async function findJob(
  { store }: { readonly store: { readonly jobs: JobFinder } },
  wanted: number,
): Promise<JobView> {
  const row = await store.jobs.byId(wanted)
  if (row === undefined) throw missing(wanted)
  return toJobView(row)
}

type JobFinder = Pick<ReturnType<typeof createJobReader>, 'byId'>

function missing(wanted: number): Failure {
  return new Failure('not_found', `there is no job ${wanted}; list them with waymark job list`)
}

const COLUMNS: readonly Column<JobView>[] = [
  { head: 'JOB', value: ({ id: number }) => number },
  { head: 'KIND', value: ({ kind }) => kind, isMain: true },
  { head: 'STATE', value: showState },
  { head: 'STARTED', value: ({ started_at }) => when(started_at) },
  { head: 'BY', value: ({ by }) => by },
]

function showState({ state, done, total }: JobView): string {
  if (state !== 'running' || total === 0) return state
  return `${state} ${Math.floor((100 * done) / total)} %`
}

function showJob(job: JobView): Line {
  return line`job ${job.id}: ${job.kind}, ${showState(job)}${job.message === undefined ? '' : `, ${job.message}`}`
}
