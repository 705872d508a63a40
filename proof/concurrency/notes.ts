import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { type Acknowledgement, findLost, git } from '../durability/acknowledgement.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createProject } from '../system/repository.ts'
import type { NotesAssignment } from './notes.program.ts'

const PROCESSES = 8
const NOTES_EACH = { short: 10, full: 50 }

/** Eight processes annotate the same commit at once. */
export const notes: Proof = {
  id: 'notes',
  promise:
    'Annotations that many processes write at once are all there, and Git finds no fault in them',
  unit: 'annotations',
  goal: 400,
  faults: ['git_notes_append'],
  run: tryNotes,
}

async function tryNotes({ level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const script = await buildProgram(new URL('notes.program.ts', import.meta.url))
  const programs = Array.from({ length: PROCESSES }, (_, at) => {
    const name = `annotator ${at}`
    const notes = NOTES_EACH[level]
    const assignment: NotesAssignment = { directory: project.path, name, notes, fault }
    return new Program(script, assignment)
  })
  await Promise.all(programs.map((program) => program.finish()))
  const acknowledged = programs.flatMap((program) => program.reports<Acknowledgement>())
  await using open = await openProject(project.path)
  const lost = await findLost(open.store, acknowledged, {
    state: open.state,
    directory: project.path,
  })
  git(project.path, 'fsck', '--strict', '--no-dangling')
  return {
    tried: acknowledged.length,
    violations: { lost: lost.length },
    example: lost[0] && `lost: ${JSON.stringify(lost[0])}`,
  }
}
