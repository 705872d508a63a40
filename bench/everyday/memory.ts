import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createProject, toCreate } from './project.ts'
import { ask, serve } from './server.ts'

const WRITES = 10_000
const QUIET_MS = 60_000

/** The private memory of a server that has written much, and of one that is quiet after that. */
export async function measureMemory(folder: string): Promise<void> {
  await using server = await serve(createProject(join(folder, 'memory')))
  const show = (title: string): void =>
    console.log(`  ${title.padEnd(22)} ${server.privateMemory.toFixed(1)} MB`)
  console.log('\nmemory that a server shares with no other process')
  show('connected')
  for (let at = 0; at < WRITES; at += 4) {
    await Promise.all([0, 1, 2, 3].map((n) => ask(server, toCreate(at + n))))
  }
  show(`after ${WRITES} writes`)
  await sleep(QUIET_MS)
  show('after a quiet minute')
}
