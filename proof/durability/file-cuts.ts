import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Findings, Proof, Trial } from '../proof.ts'
import { DiskModel } from '../system/disk-model.ts'
import { type DiskCall, readJournal, shimObstacle, withShim } from '../system/disk-shim.ts'
import { createFolder } from '../system/folder.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import type { FilesAssignment, PutFile } from './files.program.ts'
import { withoutFlushes } from './without-flushes.ts'

const FOLDER = 'files'
const ROUNDS = { short: 5, full: 20 }
const CUTS = { short: 40, full: 200 }
const WITH_FAULT = { rounds: 3, cuts: 40 }

/** Backups, contents of artifacts, snapshots and settings of hosts are replaced; the power fails at many moments. */
export const fileCuts: Proof = {
  id: 'file-cuts',
  promise:
    'A file that was put in its place is there when the power fails, and at no moment half of it',
  unit: 'files at the moment of a cut',
  goal: 5000,
  faults: ['flush_without_effect', 'folders_not_flushed'],
  obstacle: shimObstacle,
  run: tryFileCuts,
}

async function tryFileCuts({ seed, level, fault }: Trial): Promise<Findings> {
  const rounds = fault === undefined ? ROUNDS[level] : WITH_FAULT.rounds
  const cuts = fault === undefined ? CUTS[level] : WITH_FAULT.cuts
  const recorded = await record(rounds)
  const calls = fault === undefined ? recorded : withoutFlushes(recorded, fault)
  const all = calls.flatMap(filesIn)

  const random = createRandom(seed)
  const model = new DiskModel(new Map())
  const moments = new Set(Array.from({ length: cuts }, () => random.below(calls.length)))
  const said: PutFile[] = []
  const found = { tried: 0, lost: 0, torn: 0, example: undefined as string | undefined }
  for (const [at, call] of calls.entries()) {
    model.apply(call)
    said.push(...filesIn(call))
    if (!moments.has(at)) continue
    const disk = model.cut(random)
    for (const path of new Set(all.map((file) => file.path))) {
      const content = disk.get(path)
      const versions = all.filter((file) => file.path === path).map(({ hash }) => hash)
      const promised = said.filter((file) => file.path === path).length - 1
      const version = content === undefined ? -1 : versions.lastIndexOf(toHash(content))
      const isTorn = content !== undefined && version === -1
      found.tried += promised >= 0 ? 1 : 0
      found.torn += isTorn ? 1 : 0
      found.lost += !isTorn && version < promised ? 1 : 0
      if (isTorn || version < promised) found.example ??= `cut at call ${at}: ${path}`
    }
  }
  const { tried, example, ...violations } = found
  return { tried, violations, counts: { cuts: moments.size, disk_calls: calls.length }, example }
}

/** Everything that is done to the files, and said of them, in the order in which it happened. */
async function record(rounds: number): Promise<DiskCall[]> {
  using project = await createProject()
  using scratch = createFolder()
  const root = join(project.path, FOLDER)
  mkdirSync(root)
  const script = await buildProgram(new URL('files.program.ts', import.meta.url))
  const assignment: FilesAssignment = { directory: project.path, folder: FOLDER, rounds }
  const journal = join(scratch.path, 'journal')
  await new Program(script, assignment, withShim({ root, journal })).finish()
  return readJournal(journal)
}

function filesIn(call: DiskCall): PutFile[] {
  if (call.kind !== 'answer') return []
  const lines = call.text.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as PutFile)
}

function toHash(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
