import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../statistics.ts'
import { createProject, toCreate } from './project.ts'
import { ask, serve } from './server.ts'

const IN_FLIGHT = [1, 8, 32]
const ROUNDS = 7
const SECOND = 1000

/** How many durable creates a server answers in a second while so many wait, beside what the disk can do. */
export async function measureInFlight(folder: string): Promise<void> {
  const server = await serve(createProject(join(folder, 'in-flight')))
  let next = 0
  const race = async (count: number): Promise<number> => {
    const end = performance.now() + SECOND
    let done = 0
    const client = async (): Promise<void> => {
      while (performance.now() < end) {
        next += 1
        await ask(server, toCreate(next))
        done += 1
      }
    }
    await Promise.all(Array.from({ length: count }, client))
    return done
  }
  await race(32)
  const creates = IN_FLIGHT.map((): number[] => [])
  const flushes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    flushes.push(flushesPerSecond(join(folder, 'flushed')))
    for (const [index, count] of IN_FLIGHT.entries()) creates[index]?.push(await race(count))
  }
  console.log(`\ndurable creates in a second, median of ${ROUNDS} rounds`)
  console.log(`  this disk flushes ${median(flushes)} small writes in a second, one at a time`)
  for (const [index, count] of IN_FLIGHT.entries()) {
    const each = creates[index] ?? []
    const ratio = median(each.map((value, round) => value / (flushes[round] ?? Number.NaN)))
    console.log(
      `  ${String(count).padStart(2)} in flight  ${median(each)} creates/s  ×${ratio.toFixed(2)} of the flushes`,
    )
  }
  await server[Symbol.asyncDispose]()
}

function flushesPerSecond(file: string): number {
  const descriptor = openSync(file, 'w')
  const end = performance.now() + SECOND
  let count = 0
  for (; performance.now() < end; count += 1) {
    writeSync(descriptor, 'x'.repeat(4096))
    fsyncSync(descriptor)
  }
  closeSync(descriptor)
  return count
}
