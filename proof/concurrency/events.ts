import type { WriterAssignment } from '../durability/writer.program.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createProject } from '../system/repository.ts'
import type { ReaderAssignment } from './events.program.ts'
import type { SlowAssignment } from './slow-writer.program.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'

const PROCESSES = { short: 4, full: 8 }
const WRITES_EACH = { short: 60, full: 400 }
const SLOW_WRITES = { short: 20, full: 200 }

/** Readers follow the events while writers make them, one of which sleeps inside of its transactions. */
export const events: Proof = {
  id: 'events',
  promise:
    'Whoever follows the events by their cursor misses none, sees none twice and all in order',
  unit: 'events read',
  goal: 100_000,
  faults: ['cursor_from_the_newest', 'one_told_twice', 'two_exchanged'],
  run: tryEvents,
}

async function tryEvents({ seed, level, fault }: Trial): Promise<Findings> {
  const processes = PROCESSES[level]
  using project = await createProject()
  const directory = project.path
  const lastSubject = crypto.randomUUID()
  const readerScript = await buildProgram(new URL('events.program.ts', import.meta.url))
  const writerScript = await buildProgram(
    new URL('../durability/writer.program.ts', import.meta.url),
  )
  const readers = Array.from({ length: processes }, () => {
    const assignment: ReaderAssignment = { directory, lastSubject, fault }
    return new Program(readerScript, assignment)
  })
  const writers = Array.from({ length: processes }, (_, at) => {
    const assignment: WriterAssignment = {
      directory,
      name: `writer ${at}`,
      seed: seed + at,
      writes: WRITES_EACH[level],
      notes: false,
    }
    return new Program(writerScript, assignment)
  })
  const slow: SlowAssignment = { directory, name: 'slow writer', writes: SLOW_WRITES[level] }
  const slowScript = await buildProgram(new URL('slow-writer.program.ts', import.meta.url))
  writers.push(new Program(slowScript, slow))
  await Promise.all(writers.map((writer) => writer.finish()))

  await using open = await openProject(directory)
  const context = { ...contextOf(open, 'parent'), newId: () => lastSubject }
  await execute(context, createEntity, { type: 'note', title: 'the last' })
  await Promise.all(readers.map((reader) => reader.finish()))
  const latest = await open.store.events.latest()
  const histories = readers.flatMap((reader) => reader.reports<{ seen: number[] }>())
  if (fault !== undefined) for (const { seen } of histories) plant(seen, fault)
  const found = { skipped: 0, doubled: 0, disordered: 0 }
  for (const { seen } of histories) {
    found.skipped += latest - new Set(seen).size
    found.doubled += seen.length - new Set(seen).size
    found.disordered += seen.filter((id, at) => id < (seen[at - 1] ?? 0)).length
  }
  return { tried: latest * processes, violations: found }
}

/** What a reader sees whose pages overlap, or come in the wrong order. */
function plant(seen: number[], fault: string): void {
  const [first, second] = seen
  if (first === undefined || second === undefined) return
  if (fault === 'one_told_twice') seen.splice(1, 0, first)
  if (fault === 'two_exchanged') seen.splice(0, 2, second, first)
}
