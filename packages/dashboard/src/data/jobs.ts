import { signal } from '@preact/signals'
import type { Output } from '../api.ts'

export type Job = Output<'job.list'>['jobs'][number]

/** The jobs that run now, with how far they are; the stream keeps them current. */
export const runningJobs = signal<readonly Job[]>([])
