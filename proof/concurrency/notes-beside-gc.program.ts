// Annotates until its input ends, while others do the same and garbage is collected. Now and then it collects garbage
// itself in the worst order: what is there is listed before the ref moves, and deleted after the note is acknowledged.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import type { Repository } from '../../packages/waymark/src/git/repository.ts'
import { annotateCode } from '../../packages/waymark/src/annotation/write/annotate.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { contextOf } from '../system/agent.ts'

export interface AnnotatorAssignment {
  readonly directory: string
  readonly name: string
  /** With every how-manieth note garbage is collected. */
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
let finishCollection = () => {}
for (let n = 1; !isOver; n += 1) {
  const text = `annotation ${n} of ${name}`
  try {
    const { record } = await execute(context, annotateCode, { summary: text })
    writeSync(1, `${JSON.stringify({ kind: 'note', id: record, text })}\n`)
  } catch (error) {
    writeSync(1, `${JSON.stringify({ refused: String(error) })}\n`)
  }
  finishCollection()
}

function meddle(real: Repository): Repository {
  return {
    ...real,
    run: async (args, options) => {
      if (args.includes('update-ref') && (moves += 1) % every === 0) {
        if (fault === 'no_keep_file') removeKeepFiles()
        finishCollection()
        finishCollection = beginCollection()
      }
      return await real.run(args, options)
    },
  }
}

function removeKeepFiles(): void {
  for (const file of packFiles('.keep')) rmSync(file, { force: true })
}

/**
 * What `git gc --prune=now` does to packs, in two steps: everything that refs lead to now goes into a new pack, and those
 * that were there before and had no `.keep` file are deleted when it is finished. Like git it collects one at a time.
 */
function beginCollection(): () => void {
  const lock = join(directory, '.git/gc.pid')
  try {
    writeFileSync(lock, `${process.pid} ${hostname()}`, { flag: 'wx' })
  } catch {
    return () => {}
  }
  const listed = packFiles('.pack').filter((file) => !existsSync(file.replace(/pack$/, 'keep')))
  const base = join(directory, '.git/objects/pack/pack')
  const reachable = ['--all', '--reflog', '--indexed-objects', '--honor-pack-keep', '--quiet']
  const made = execFileSync('git', ['-C', directory, 'pack-objects', ...reachable, base], {
    input: '',
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim()
  return () => {
    for (const file of listed.filter((each) => made === '' || !each.includes(made))) {
      for (const kind of ['idx', 'pack']) rmSync(file.replace(/pack$/, kind), { force: true })
    }
    rmSync(lock, { force: true })
    finishCollection = () => {}
  }
}

function packFiles(ending: string): string[] {
  const folder = join(directory, '.git/objects/pack')
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
}
