// Annotates one and the same commit again and again, while others do the same.
import { execFileSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { annotateCode } from '../../packages/waymark/src/annotation/write/annotate.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { contextOf } from '../system/agent.ts'

export interface NotesAssignment {
  readonly directory: string
  readonly name: string
  readonly notes: number
  readonly fault?: string | undefined
}

const { directory, name, notes, fault } = JSON.parse(process.argv[2] ?? '') as NotesAssignment
await using project = await openProject(directory)
const context = contextOf(project, name)
for (let n = 1; n <= notes; n += 1) {
  const text = `annotation ${n} of ${name}`
  const id = fault === undefined ? await annotate(text) : appendWithGit(text)
  if (id !== undefined) writeSync(1, `${JSON.stringify({ kind: 'note', id, text })}\n`)
}

async function annotate(summary: string): Promise<string> {
  const { record } = await execute(context, annotateCode, { summary })
  return record
}

/** The obvious way, which reads the note, adds to it and writes it back. */
function appendWithGit(text: string): string | undefined {
  const args = ['-C', directory, 'notes', '--ref=waymark', 'append', '--message', `${text}.`]
  try {
    execFileSync('git', args, { stdio: 'ignore' })
    return `${text}.`
  } catch {
    return undefined
  }
}
