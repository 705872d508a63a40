// Annotates until its input ends, while others do the same and garbage is collected. Now and then it collects garbage
// itself at the worst moment: when its objects are written and no ref leads to them yet.
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/execute.ts'
import type { Repository } from '../../packages/waymark/src/git/repository.ts'
import { annotateCode } from '../../packages/waymark/src/operations/code/annotate.ts'
import { openProject } from '../../packages/waymark/src/project.ts'
import { contextOf } from '../system/agent.ts'

export interface AnnotatorAssignment {
  readonly directory: string
  readonly name: string
  /** Every how-manieth note garbage is collected between its writing and the move of the ref. */
  readonly every: number
  readonly fault?: string | undefined
}

const { directory, name, every, fault } = JSON.parse(process.argv[2] ?? '') as AnnotatorAssignment
await using project = await openProject(directory)
const repository = meddle(await project.code.repository())
const code = { ...project.code, repository: async () => repository }
const context = contextOf({ ...project, code }, name)
let isOver = false
process.stdin.on('end', () => (isOver = true)).resume()
let moves = 0
for (let n = 1; !isOver; n += 1) {
  const text = `annotation ${n} of ${name}`
  try {
    const { record } = await execute(context, annotateCode, { summary: text })
    writeSync(1, `${JSON.stringify({ kind: 'note', id: record, text })}\n`)
  } catch (error) {
    writeSync(1, `${JSON.stringify({ refused: String(error) })}\n`)
  }
}

function meddle(real: Repository): Repository {
  return {
    ...real,
    run: async (args, options) => {
      if (args.includes('update-ref') && (moves += 1) % every === 0) {
        if (fault === 'no_keep_file') removeKeepFiles()
        collect()
      }
      return await real.run(args, options)
    },
  }
}

function removeKeepFiles(): void {
  const folder = join(directory, '.git/objects/pack')
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.keep'))) {
    rmSync(join(folder, file), { force: true })
  }
}

/** Another collection may be under way; then git says so and does nothing. */
function collect(): void {
  try {
    execFileSync('git', ['-C', directory, 'gc', '--quiet', '--prune=now'], { stdio: 'ignore' })
  } catch {
    // The one that is under way is as good.
  }
}
