// What the store costs: creates in small and large projects, four processes at once, and how soon a commit is noticed.
// Ratios come from one run, measured in turns, so that a busy machine hits all of them alike.
import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { initialiseStore, openStore } from '../packages/waymark/src/core/store/open.ts'
import type { Store, StoreTransaction } from '../packages/waymark/src/core/store/store.ts'
import { median } from './statistics.ts'
import { toEntityId } from '../packages/waymark/src/entity/entity-id.ts'

const SIZES = [1_000, 10_000, 100_000]
const ROUNDS = 40
const CREATES_PER_ROUND = 25
const WRITERS = 4
const WRITE_MS = 5_000
const COMMITS = 200

const [role, stateDir = ''] = process.argv.slice(2)

if (role === 'writer') await runWriter(stateDir)
else if (role === 'watcher') await runWatcher(stateDir)
else await runBenchmark()

async function runBenchmark(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  try {
    await measureSizes(folder)
    await measureWriters(join(folder, 'writers'))
    await measureWatcher(join(folder, 'watcher'))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function measureSizes(folder: string): Promise<void> {
  const stores: Store[] = []
  for (const size of SIZES) stores.push(await createFilled(join(folder, String(size)), size))
  const creates = SIZES.map((): number[] => [])
  const reads = SIZES.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, store] of stores.entries()) {
      creates[index]?.push(await time(CREATES_PER_ROUND, () => create(store)))
      reads[index]?.push(await time(CREATES_PER_ROUND, () => store.entities.byNumber(round + 1)))
    }
  }
  print('create, one at a time, on disk', creates)
  print('read one by its number', reads)
  for (const store of stores) await store.close()
}

function print(title: string, samples: readonly number[][]): void {
  const [base = Number.NaN] = samples.map(median)
  console.log(`\n${title} (median of ${ROUNDS} rounds)`)
  for (const [index, size] of SIZES.entries()) {
    const value = median(samples[index] ?? [])
    const ratio = (value / base).toFixed(2)
    console.log(`  ${String(size).padStart(7)} entities  ${value.toFixed(3)} ms  ratio ${ratio}`)
  }
}

async function measureWriters(stateDir: string): Promise<void> {
  await initialise(stateDir)
  const writers = await Promise.all(
    Array.from({ length: WRITERS }, () => start('writer', stateDir)),
  )
  const answers = writers.map(async (writer) => {
    const [waits] = (await once(writer, 'message')) as [number[]]
    return waits
  })
  for (const writer of writers) writer.send('go')
  const waits = await Promise.all(answers)
  const all = waits.flat().toSorted((a, b) => a - b)
  const mean = all.length / WRITERS
  const least = Math.min(...waits.map((own) => own.length)) / mean

  const store = await openStore(stateDir)
  const kept = await store.events.latest()
  await store.close()
  console.log(`\n${WRITERS} processes that create as fast as they can, for ${WRITE_MS / 1000} s`)
  console.log(
    `  ${((all.length / WRITE_MS) * 1000).toFixed(0)} creates/s, lost ${all.length - kept}`,
  )
  console.log(`  wait p50 ${at(all, 0.5)}, p99 ${at(all, 0.99)}, longest ${at(all, 1)} ms`)
  console.log(`  slowest writer's share ${least.toFixed(2)} of the mean`)
}

async function measureWatcher(stateDir: string): Promise<void> {
  await initialise(stateDir)
  const watcher = await start('watcher', stateDir)
  const reports = on(watcher, 'message')
  const store = await openStore(stateDir)
  const delays: number[] = []
  for (let n = 1; n <= COMMITS; n++) {
    await create(store)
    const acknowledged = now()
    delays.push((await noticed(reports, n)) - acknowledged)
  }
  watcher.disconnect()
  await store.close()
  delays.sort((a, b) => a - b)
  console.log(
    `\na commit is noticed by another process, counted from its acknowledgement (${COMMITS} times)`,
  )
  console.log(`  p50 ${at(delays, 0.5)}, p99 ${at(delays, 0.99)}, longest ${at(delays, 1)} ms`)
}

/** When the watcher had read the n-th event; that may be before its writer got the answer. */
async function noticed(reports: AsyncIterator<unknown>, n: number): Promise<number> {
  for (;;) {
    const { value } = (await reports.next()) as { value: [[latest: number, at: number]] }
    const [[latest, at]] = value
    if (latest === n) return at
  }
}

async function runWriter(stateDir: string): Promise<void> {
  const store = await openStore(stateDir)
  process.send?.('ready')
  await once(process, 'message')
  const waits: number[] = []
  const end = now() + WRITE_MS
  while (now() < end) waits.push(await time(1, () => create(store)))
  await new Promise((resolve) => process.send?.(waits, resolve))
  await store.close()
  process.disconnect()
}

async function runWatcher(stateDir: string): Promise<void> {
  const store = await openStore(stateDir)
  store.watch(() => void store.events.latest().then((latest) => process.send?.([latest, now()])))
  process.once('disconnect', () => void store.close())
  process.send?.('ready')
}

async function start(role: string, stateDir: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), [role, stateDir])
  await once(child, 'message')
  return child
}

async function initialise(stateDir: string): Promise<void> {
  await initialiseStore(stateDir, { projectId: crypto.randomUUID(), now: Date.now() })
}

async function createFilled(stateDir: string, size: number): Promise<Store> {
  await initialise(stateDir)
  const store = await openStore(stateDir)
  for (let left = size; left > 0; left -= 1000) {
    await store.write(async (tx) => {
      for (let i = 0; i < Math.min(left, 1000); i++) await insert(tx)
    })
  }
  return store
}

async function create(store: Store): Promise<void> {
  await store.write(insert)
}

async function insert(tx: StoreTransaction): Promise<void> {
  const at = await tx.now(Date)
  const entity = await tx.entities.insert({
    id: toEntityId(newId(at)),
    type: 'note',
    title: 'How the cache is invalidated',
    content:
      'Every write bumps the revision; readers compare it with theirs before they answer. '.repeat(
        4,
      ),
    tags: ['cache', 'reads'],
    status: null,
    properties: { note_type: 'research' },
    createdAt: at,
    createdBy: 'bench',
  })
  const event = { type: 'note.created', subject: entity.id, at, agent: 'bench', data: {} }
  await tx.events.append(event)
}

/** Ids that grow with time, as the real ones do. */
function newId(at: number): string {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}

/** Milliseconds per call. */
async function time(calls: number, call: () => Promise<unknown>): Promise<number> {
  const started = now()
  for (let i = 0; i < calls; i++) await call()
  return (now() - started) / calls
}

/** Milliseconds on a clock that all processes of the machine share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

function at(sorted: readonly number[], quantile: number): string {
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))
  return (sorted[index] ?? Number.NaN).toFixed(2)
}
