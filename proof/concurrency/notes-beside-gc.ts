import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { forgetNotes } from '../../packages/waymark/src/annotation/notes/copy-notes.ts'
import { annotationStatus } from '../../packages/waymark/src/annotation/write/status.ts'
import { checkStore } from '../../packages/waymark/src/integrity/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import {
  type Acknowledgement,
  findLost,
  git,
  isAcknowledgement,
  type Refusal,
} from '../durability/acknowledgement.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createProject } from '../system/repository.ts'
import type { AnnotatorAssignment } from './notes-beside-gc.program.ts'

const ANNOTATORS = { short: 2, full: 4 }
const COLLECTIONS = { short: 2, full: 20 }
const REF = 'refs/notes/waymark'

/** Processes annotate while garbage is collected; then the ref is damaged, read and repaired. */
export const notesBesideGc: Proof = {
  id: 'notes-beside-gc',
  promise:
    'Annotations survive git gc --prune=now while they are written, and a damaged notes ref is repaired from the copy',
  unit: 'collections',
  goal: 20,
  faults: ['no_keep_file', 'copy_forgotten'],
  run: tryCollections,
}

async function tryCollections({ level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const { path: directory } = project
  const script = await buildProgram(new URL('notes-beside-gc.program.ts', import.meta.url))
  // A planted mistake shows with one annotator as well, and sooner.
  const annotators = fault === undefined ? ANNOTATORS[level] : 1
  const programs = Array.from({ length: annotators }, (_, at) => {
    const assignment: AnnotatorAssignment = { directory, name: `annotator ${at}`, every: 2, fault }
    return new Program(script, assignment)
  })
  await Promise.all(programs.map((program) => program.untilReports(1)))
  let broken = 0
  for (let round = 1; round <= COLLECTIONS[level]; round += 1) {
    await collect(directory)
    if (!tryGit(directory, 'ls-tree', '-r', REF)) broken += 1
    await Promise.all(programs.map((program) => program.untilReports(round + 1)))
  }
  for (const program of programs) program.stop()
  await Promise.all(programs.map((program) => program.finish()))
  const reports = programs.flatMap((program) => program.reports<Acknowledgement | Refusal>())
  const acknowledged = reports.filter(isAcknowledgement)
  const isSound = tryGit(directory, 'fsck', '--strict', '--no-dangling')
  await using open = await openProject(directory)
  const places = { state: open.state, directory }
  const lost = isSound ? await findLost(open.store, acknowledged, places) : acknowledged
  const unrepaired = isSound ? await damageAndRepair(directory, acknowledged, fault) : 0
  return {
    tried: COLLECTIONS[level],
    violations: { lost: lost.length, broken: broken + (isSound ? 0 : 1), unrepaired },
    counts: { annotations: acknowledged.length, refused: reports.length - acknowledged.length },
    example: lost[0] && `lost: ${JSON.stringify(lost[0])}`,
  }
}

/** Takes everything away that the notes ref leads to, asks for annotations, and repairs. Answers how many stay away. */
async function damageAndRepair(
  directory: string,
  acknowledged: readonly Acknowledgement[],
  fault: string | undefined,
): Promise<number> {
  await readAnnotations(directory)
  loseNotes(directory)
  await readAnnotations(directory)
  await using project = await openProject(directory)
  // As by a read that takes a ref which leads to nothing for one that is not there.
  if (fault === 'copy_forgotten') await project.store.write((tx) => forgetNotes(tx, REF))
  await execute(contextOf(project, 'doctor'), checkStore, { repair: true })
  return (await findLost(project.store, acknowledged, { state: project.state, directory })).length
}

async function readAnnotations(directory: string): Promise<void> {
  await using project = await openProject(directory)
  await execute(contextOf(project, 'reader'), annotationStatus, {})
}

function loseNotes(directory: string): void {
  const tip = git(directory, 'rev-parse', REF)
  rmSync(join(directory, '.git/logs', REF), { force: true })
  git(directory, 'update-ref', '-d', REF)
  git(directory, 'gc', '--quiet', '--prune=now')
  mkdirSync(join(directory, '.git/refs/notes'), { recursive: true })
  writeFileSync(join(directory, '.git', REF), tip)
}

/** One of the annotators may be collecting; git waits for no other collection, so it is asked again. */
async function collect(directory: string): Promise<void> {
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    if (tryGit(directory, 'gc', '--quiet', '--prune=now')) return
    await sleep(10 * tries)
  }
}

const MOST_TRIES = 20

function tryGit(directory: string, ...args: readonly string[]): boolean {
  try {
    git(directory, ...args)
    return true
  } catch {
    return false
  }
}
