import { basename, dirname, join } from 'node:path'
import { locateProject } from '../../packages/waymark/src/core/project/locate-project.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { type DiskCall, shimObstacle } from '../system/disk-shim.ts'
import { createFolder } from '../system/folder.ts'
import { createProject } from '../system/repository.ts'
import type { Acknowledgement } from './acknowledgement.ts'
import type { DurabilityFault } from './faults.ts'
import { acknowledgedIn, recordWriters } from './record-writers.ts'

const WRITES = { short: 150, full: 1000 }
const WRITES_WITH_FAULT = 20

/** One writer is watched: at each of its answers, was everything flushed that it had written? */
export const flushedFirst: Proof = {
  id: 'flushed-first',
  promise: 'No write is acknowledged before the disk was told to keep it and has said that it did',
  unit: 'answers',
  goal: 1000,
  faults: ['answer_before_commit', 'flush_without_effect'],
  obstacle: shimObstacle,
  run: tryOrder,
}

async function tryOrder({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  using scratch = createFolder()
  const calls = await recordWriters({
    directory: project.path,
    state: locateProject(project.path)?.stateDir ?? '',
    journal: join(scratch.path, 'journal'),
    writers: 1,
    writes: fault === undefined ? WRITES[level] : WRITES_WITH_FAULT,
    seed,
    fault: fault === 'answer_before_commit' ? (fault satisfies DurabilityFault) : undefined,
  })
  const isDeaf = fault === 'flush_without_effect'
  const unflushed = new Set<string>()
  let written: Buffer[] = []
  const found = { tried: 0, early: 0, flushes: 0 }
  let example: string | undefined
  for (const call of calls) {
    if (call.kind === 'flush' && !isDeaf) {
      unflushed.delete(call.path)
      found.flushes += 1
    }
    if (call.kind === 'write') written.push(call.data)
    if (call.kind === 'remove') unflushed.delete(call.path)
    // What was not flushed under its old name is not flushed under the new one either.
    if (call.kind === 'rename' && unflushed.delete(call.path)) unflushed.add(call.to)
    for (const path of changedBy(call)) unflushed.add(path)
    if (call.kind !== 'answer') continue
    for (const answer of acknowledgedIn(call.text)) {
      found.tried += 1
      const missing = [...unflushed].filter(isLasting)
      if (missing.length === 0 && isIn(written, answer)) continue
      found.early += 1
      example ??= `answered ${JSON.stringify(answer)} before ${missing.join(', ') || 'it was written'}`
    }
    written = []
  }
  const { tried, early, flushes } = found
  return { tried, violations: { early }, counts: { flushes }, example }
}

/** Whether what an answer tells of is in what was written since the last one; of a number, whether anything was. */
function isIn(written: readonly Buffer[], answer: Acknowledgement): boolean {
  return 'text' in answer ? written.some((data) => data.includes(answer.text)) : written.length > 0
}

/** What has to be flushed after a call: a file for its content, a folder for the names in it. */
function changedBy(call: DiskCall): string[] {
  switch (call.kind) {
    case 'write':
    case 'truncate':
      return [call.path]
    case 'create':
    case 'folder':
      return isLasting(call.path) ? [dirname(call.path)] : []
    case 'rename':
      return [dirname(call.to)]
    case 'flush':
    case 'remove':
    case 'answer':
    case 'counted':
      return []
  }
}

/** Not what is gone or made anew when the machine starts again. */
function isLasting(path: string): boolean {
  return !['bell', 'line', 'waymark.db-shm'].includes(basename(path)) && !path.endsWith('.part')
}
