import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { counted, joined, line, table } from '../core/show.ts'
import { checkLocally } from './local-checks.ts'
import { findProject } from '../core/project/found-project.ts'
import { jobView, toJobView } from '../job/view.ts'
import type { SpanRow } from '../task/lane/store.ts'
import { findings, type Finding, finding } from './findings.ts'

const WEEK = 7 * 24 * 60 * 60 * 1000
const MEGABYTE = 1024 * 1024
/** Less room than this on the disk is worth a warning. */
const SCARCE_BYTES = 500 * MEGABYTE
const SPANS_AT_ONCE = 2000

export const showHealth = defineOperation({
  name: 'health.show',
  summary: 'Show what is known about the store, sync and leases, without checking anything',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    store: z.object({
      bytes: z.int().optional().describe('Size of the files of the store on this machine'),
      free_bytes: z.int().optional().describe('Room on its disk'),
      is_scarce: z.boolean(),
      events: z.int(),
    }),
    sync: z.object({
      unsent: z.int(),
      unpushed: z.int(),
      refusal: z.string().optional().describe('Why the last push was refused'),
    }),
    running: z.array(jobView),
    last: z
      .array(z.object({ job: jobView, ok: z.boolean(), findings: z.array(finding) }))
      .describe('Of each kind of job the last one, with what it found'),
    leases: z
      .array(z.object({ agent: z.string(), leases: z.int(), lost: z.int(), done: z.int() }))
      .describe('Leases of the last seven days that have ended, by agent; most lost first'),
  }),
  async run(context) {
    const { store } = context
    const push = await store.replica.pushState.get()
    const last = await store.jobs.lastOfEachKind()
    return {
      store: { ...sizeOf(context.project?.state), events: await store.events.latest() },
      sync: {
        unsent: await store.replica.countOutgoing(),
        unpushed: push.unpushed,
        ...(push.refusal !== null && { refusal: push.refusal }),
      },
      running: (await store.jobs.running()).map(toJobView),
      last: last.map((row) => {
        const found = findings(row.result)
        return {
          job: toJobView(row),
          ok: row.state === 'done' && !found.some(isBad),
          findings: found,
        }
      }),
      leases: await countLeases(context),
    }
  },
  show: ({ store, sync, last, leases }) => [
    line`store: ${store.bytes === undefined ? '' : `${(store.bytes / MEGABYTE).toFixed(1)} MB, `}${counted(store.events, 'event')}`,
    line`sync: ${counted(sync.unsent, 'change')} not sent${sync.refusal === undefined ? '' : `; the last push was refused: ${sync.refusal}`}`,
    ...last.map(
      ({ job, ok, findings: found }) =>
        line`${job.kind}: ${
          ok
            ? 'ok'
            : joined(
                found.map(({ message }) => message),
                '; ',
              )
        }`,
    ),
    ...(leases.length === 0
      ? []
      : [
          table(leases, [
            { head: 'AGENT', value: ({ agent }) => agent, isMain: true },
            { head: 'LEASES', value: ({ leases: count }) => count },
            { head: 'DONE', value: ({ done }) => done },
            { head: 'LOST', value: ({ lost }) => lost },
          ]),
        ]),
  ],
})

export const checkHealth = defineOperation({
  name: 'health.check',
  summary: 'Check this machine: Node, SQLite, Git, the files of the project, hooks and settings',
  example: '',
  effect: 'read',
  isHeavy: true,
  input: z.object({}),
  output: z.object({ ok: z.boolean(), checks: z.array(finding) }),
  async run({ project }) {
    if (project === undefined)
      throw new Failure('conflict', 'this project has no working tree here to check')
    const checks = await checkLocally(project.root, findProject(project.root))
    return { ok: checks.every(({ status }) => status !== 'failed'), checks: [...checks] }
  },
  show: ({ checks }) => [
    table(checks, [
      { head: 'STATUS', value: ({ status }) => status },
      { head: 'CHECK', value: ({ name }) => name },
      { head: 'FOUND', value: ({ message }) => message, isMain: true },
    ]),
  ],
})

function isBad({ status }: Finding): boolean {
  return status !== 'ok'
}

/** Sizes of files are facts of the file system: nothing is opened. */
function sizeOf(state: string | undefined) {
  if (state === undefined) return { is_scarce: false }
  try {
    const files = readdirSync(state).filter((name) => name.startsWith('waymark.db'))
    const bytes = files.reduce((sum, name) => sum + statSync(join(state, name)).size, 0)
    const { bavail, bsize } = statfsSync(state)
    const free_bytes = bavail * bsize
    return { bytes, free_bytes, is_scarce: free_bytes < SCARCE_BYTES }
  } catch {
    // A file that is gone meanwhile says nothing about the health of the store.
    return { is_scarce: false }
  }
}

async function countLeases(context: ReadContext) {
  const { store } = context
  const from = (await store.now(context)) - WEEK
  const counts = new Map<SpanRow['agentId'], { leases: number; lost: number; done: number }>()
  let after: SpanRow | undefined
  do {
    const page = await store.spans.ended({ from, after, limit: SPANS_AT_ONCE })
    for (const { agentId, ending } of page) {
      const known = counts.get(agentId) ?? { leases: 0, lost: 0, done: 0 }
      known.leases += 1
      known.lost += Number(ending === 'expired')
      known.done += Number(ending === 'done')
      counts.set(agentId, known)
    }
    after = page.length === SPANS_AT_ONCE ? page.at(-1) : undefined
  } while (after !== undefined)
  const named = await Promise.all(
    [...counts].map(async ([id, figures]) => ({
      agent: (await store.agents.byId(id))?.name ?? id,
      ...figures,
    })),
  )
  return named.toSorted((one, other) => other.lost - one.lost || other.leases - one.leases)
}
