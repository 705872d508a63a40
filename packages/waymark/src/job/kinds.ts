/** What each kind of job runs. `operation-worker.ts` must list the operations. */
export const JOBS = {
  check: { operation: 'store.check', input: { repair: false } },
  repair: { operation: 'store.check', input: { repair: true } },
  doctor: { operation: 'health.check', input: {} },
  verify: { operation: 'code.verify', input: {} },
  sync: { operation: 'sync.run', input: {} },
  index: { operation: 'cache.rebuild', input: {} },
} as const

export type JobKind = keyof typeof JOBS

/** Areas of access of kinds that do not examine the project as a whole. */
export const JOB_AREAS = { verify: ['code'] } as const

export const JOB_KINDS = [
  'check',
  'repair',
  'doctor',
  'verify',
  'sync',
  'index',
] as const satisfies readonly JobKind[]
