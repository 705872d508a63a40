// What replication costs: one write with and without its op, a sync of many changes, a first import, size on disk.
// Ratios come from one run, measured in turns, so that a busy machine hits all of them alike.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext } from '../packages/waymark/src/context.ts'
import { execute } from '../packages/waymark/src/execute.ts'
import { SILENT } from '../packages/waymark/src/logger.ts'
import { updateEntity } from '../packages/waymark/src/operations/entities.ts'
import { runSync } from '../packages/waymark/src/operations/sync.ts'
import { initialiseProject, openProject } from '../packages/waymark/src/project.ts'
import type { Store, StoreTransaction } from '../packages/waymark/src/store/store.ts'

const CHANGED = 1_000
const IMPORTED = Number(process.env['WAYMARK_IMPORTED'] ?? 100_000)
const ROUNDS = 30
const WRITES = 20

const WORDS = 'store log merge clone branch commit review queue lease agent index graph note'.split(
  ' ',
)

const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
try {
  await measureWrites()
  await measureSync()
  await measureImport()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** The same transaction through the nouns that write ops, and through the rows beneath them. */
async function measureWrites(): Promise<void> {
  await using project = await open('writes')
  const { store } = project
  const kinds = {
    'create, without op': (n: number) => store.write((tx) => insert(tx, n, tx.replica.rows)),
    'create, with op': (n: number) => store.write((tx) => insert(tx, n)),
  }
  const samples = new Map(Object.keys(kinds).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, write] of Object.entries(kinds)) {
      const start = performance.now()
      for (let n = 0; n < WRITES; n++) await write(n)
      samples.get(name)?.push((performance.now() - start) / WRITES)
    }
  }
  const [base = Number.NaN] = [...samples.values()].map(median)
  for (const [name, values] of samples) {
    const value = median(values)
    console.log(`${name.padEnd(22)} ${value.toFixed(2)} ms  ratio ${(value / base).toFixed(2)}`)
  }
  await store.write(async (tx) => {
    const start = performance.now()
    for (let n = 0; n < 1000; n++) await insert(tx, n, tx.replica.rows)
    const without = performance.now() - start
    for (let n = 0; n < 1000; n++) await insert(tx, n)
    const withOps = performance.now() - start - without
    console.log(
      `1,000 creates in one transaction: without ${without.toFixed(0)} ms, with ${withOps.toFixed(0)} ms, ratio ${(withOps / without).toFixed(2)}`,
    )
  })
}

async function measureSync(): Promise<void> {
  const remote = join(folder, 'sync.git')
  git('init', '--quiet', '--bare', remote)
  await using ada = await open('ada', remote)
  await using bob = await open('bob', remote)
  await fill(ada.store, CHANGED)
  await timed(`sync of ${CHANGED} new entities, sender`, () => ada.sync())
  await timed(`sync of ${CHANGED} new entities, receiver`, () => bob.sync())
  const rows = await ada.store.entities.after(0, CHANGED)
  for (const { id, content } of rows) {
    await execute(ada.context, updateEntity, { id, content: `${content}\none more line` })
  }
  await timed(`sync of ${CHANGED} changed entities, sender`, () => ada.sync())
  await timed(`sync of ${CHANGED} changed entities, receiver`, () => bob.sync())
  await timed('sync without news', () => bob.sync())
  const [first] = rows
  for (let n = 0; n < 300; n++) {
    await execute(ada.context, updateEntity, { id: first?.id ?? '', title: `title ${n}` })
  }
  await timed('sync of one entity that changed 300 times', () => ada.sync())
}

async function measureImport(): Promise<void> {
  const remote = join(folder, 'import.git')
  git('init', '--quiet', '--bare', remote)
  await using ada = await open('sender', remote)
  await fill(ada.store, IMPORTED)
  const before = size('sender')
  await timed(`first sync of ${IMPORTED} entities`, () => ada.sync())
  await using bob = await open('receiver', remote)
  await timed(`import of ${IMPORTED} entities into an empty store`, () => bob.sync())
  git('-C', remote, 'gc', '--quiet')
  const packed = Number(/size-pack: (\d+)/.exec(git('-C', remote, 'count-objects', '-v'))?.[1])
  await bob.store.close()
  console.log(
    `per entity: store before its first sync ${(before / IMPORTED).toFixed(0)} B, after an import ${(size('receiver') / IMPORTED).toFixed(0)} B, log in Git ${((packed * 1024) / IMPORTED).toFixed(0)} B`,
  )
}

async function open(name: string, remote?: string) {
  const directory = join(folder, name)
  git('init', '--quiet', directory)
  if (remote !== undefined) git('-C', directory, 'remote', 'add', 'origin', remote)
  await initialiseProject(directory)
  const project = await openProject(directory)
  const { store, code } = project
  const context = createContext({ store, code, agent: { name, surface: 'api' }, logger: SILENT })
  return {
    store,
    context,
    sync: () => execute(context, runSync, {}),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 500) {
    await store.write(async (tx) => {
      for (let n = done; n < Math.min(done + 500, count); n++) await insert(tx, n)
    })
  }
}

async function insert(
  tx: StoreTransaction,
  n: number,
  rows?: StoreTransaction['replica']['rows'],
): Promise<void> {
  const at = await tx.now(Date.now())
  const entity = {
    id: crypto.randomUUID(),
    type: 'note',
    title: `note ${n} about the ${WORDS[n % WORDS.length]}`,
    content: Array.from({ length: 40 }, (_, at) => WORDS[(n * 7 + at * 3) % WORDS.length]).join(
      ' ',
    ),
    tags: ['bench', WORDS[n % WORDS.length] ?? ''],
    status: null,
    properties: {},
    createdAt: at,
    createdBy: 'bench',
  }
  if (rows === undefined) await tx.entities.insert(entity)
  else {
    const number = await rows.nextNumber()
    await rows.insert({ ...entity, number, updatedAt: at, updatedBy: 'bench', origin: null })
  }
  await tx.events.append({
    type: 'entity.created',
    subject: entity.id,
    at,
    agent: 'bench',
    data: { title: entity.title },
  })
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const seconds = ((performance.now() - start) / 1000).toFixed(2)
  // Without the processes of git; a busy machine changes it less than the time on the clock.
  console.log(`${name}: ${seconds} s, of the processor ${((user + system) / 1e6).toFixed(2)} s`)
}

function size(name: string): number {
  const path = join(folder, name, '.git', 'waymark', 'waymark.db')
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size)
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' })
}
