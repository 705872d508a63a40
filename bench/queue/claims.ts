import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClaimReport } from './claimer.ts'
import { fillBench } from './project.ts'
import { ms, quantile } from '../statistics.ts'

const CLAIMERS = [1, 4, 16]
const SECONDS = Number(process.env['WAYMARK_SECONDS'] ?? 5)

/** Processes that claim and complete as fast as they can: how many claims there are, and how long the unluckiest waited. */
export async function measureClaims(folder: string): Promise<void> {
  console.log(`\nprocesses that claim and complete for ${SECONDS} s, one setting after the other`)
  const flushes = flushesPerSecond(join(folder, 'flushed'))
  console.log(`  this disk flushes ${flushes.toFixed(0)} small writes in a second, one at a time`)
  let alone: number | undefined
  for (const count of CLAIMERS) {
    const directory = join(folder, `claims-${count}`)
    await (await fillBench(directory, 1_000 * SECONDS * 3))[Symbol.asyncDispose]()
    const reports = await race(directory, count)
    const claims = reports.flatMap(({ tasks }) => tasks)
    const waits = reports.flatMap(({ waits }) => waits)
    const perSecond = claims.length / SECONDS
    alone ??= perSecond
    const cpu = reports.reduce((sum, report) => sum + report.cpu, 0) / claims.length
    const shares = reports.map(({ tasks }) => (tasks.length * count) / claims.length)
    console.log(
      `  ${String(count).padStart(2)} processes  ${perSecond.toFixed(0)} claims/s ×${(perSecond / alone).toFixed(2)}` +
        `  wait p50 ${ms(quantile(waits, 0.5))} p99 ${ms(quantile(waits, 0.99))} longest ${ms(Math.max(...waits))}` +
        `  processor ${ms(cpu)} each  smallest share ${Math.min(...shares).toFixed(2)}  claimed twice ${claims.length - new Set(claims).size}`,
    )
  }
}

async function race(directory: string, count: number): Promise<readonly ClaimReport[]> {
  const claimers = await Promise.all(
    Array.from({ length: count }, (_, at) => start(directory, `agent ${at}`)),
  )
  const reports = claimers.map(async (claimer) => {
    const [report] = (await once(claimer, 'message')) as [ClaimReport]
    return report
  })
  for (const claimer of claimers) claimer.send(SECONDS)
  return await Promise.all(reports)
}

async function start(directory: string, agent: string): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('claimer.ts', import.meta.url))
  const child = fork(file, [directory, agent])
  await once(child, 'message')
  return child
}

function flushesPerSecond(file: string): number {
  const descriptor = openSync(file, 'w')
  const end = performance.now() + 1000
  let count = 0
  for (; performance.now() < end; count += 1) {
    writeSync(descriptor, 'x'.repeat(4096))
    fsyncSync(descriptor)
  }
  closeSync(descriptor)
  return count
}
