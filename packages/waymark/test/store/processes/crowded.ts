// Begins and opens a project on a disk that has no place for another file, and again when it has.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../../src/core/error.ts'
import { initialiseProject, openProject } from '../../../src/core/project/project.ts'
import { createEntity } from '../workspace.ts'

const [disk = '', task] = process.argv.slice(2)
const first = join(disk, 'first')
const second = join(disk, 'second')
const ballast = join(disk, 'ballast')
if (task === 'init') await initialiseProject(first)
else await tryAll()

async function tryAll(): Promise<void> {
  for (const folder of [first, second, ballast]) mkdirSync(folder)
  // By another process: this one would keep the files open that are to be missing.
  execFileSync(process.execPath, [...process.execArgv, process.argv[1] ?? '', disk, 'init'])
  fill()
  const opened = await outcomeOf(() => write(first))
  makeRoom()
  const openedWithRoom = await outcomeOf(() => write(first))
  fill()
  // Enough to begin, and too little to end.
  for (const name of readdirSync(ballast).slice(0, 5)) rmSync(join(ballast, name))
  const begun = await outcomeOf(() => initialiseProject(second))
  const openedHalf = await outcomeOf(() => write(second))
  makeRoom()
  const begunWithRoom = await outcomeOf(() => initialiseProject(second))
  console.log(JSON.stringify({ opened, openedWithRoom, begun, openedHalf, begunWithRoom }))
}

async function write(directory: string): Promise<void> {
  await using project = await openProject(directory)
  await createEntity(project.store)
}

/** As many files as there can be. */
function fill(): void {
  try {
    for (let n = 0; ; n += 1) writeFileSync(join(ballast, String(n)), '')
  } catch {
    return
  }
}

function makeRoom(): void {
  for (const name of readdirSync(ballast)) rmSync(join(ballast, name))
}

async function outcomeOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action()
    return 'done'
  } catch (error) {
    return error instanceof Failure ? error.code : String(error)
  }
}
