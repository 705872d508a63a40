// How searching, the task queue and questions about one entity of the graph grow with the project: p95 of each call at 1,000 and at 100,000 entities, as a
// ratio from one run, measured in turns, so that a busy machine hits both sizes alike. Also the size of the replies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryClient } from '@waymark/baton'
import { initialiseProject, openProject } from '../packages/waymark/src/core/project/project.ts'
import type { Store } from '../packages/waymark/src/core/store/store.ts'
import { serveInMemory } from './served.ts'
import { quantile } from './statistics.ts'
import { inTurn } from './turns.ts'
import { toEntityId } from '../packages/waymark/src/entity/entity-id.ts'

const SIZES = [1_000, Number(process.env['WAYMARK_ENTITIES'] ?? 100_000)] as const
const ROUNDS = Number(process.env['WAYMARK_ROUNDS'] ?? 40)
const VOCABULARY = 20_000
const CONTENT_WORDS = 60
const LARGEST_REPLY = 10_000
const LARGEST_RATIO = 3
const SYLLABLES = 'ka re to mi su lo ne pa di vu sho gra ten bil ron mex fol qua'.split(' ')

const folder = mkdtempSync(join(tmpdir(), 'waymark-knowledge-'))
try {
  await run()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function run(): Promise<void> {
  const projects = []
  for (const size of SIZES) projects.push(await fill(size))
  const samples = new Map<string, number[][]>()
  const replies = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, { client }] of inTurn([...projects.entries()], round)) {
      for (const [name, args] of calls(round)) {
        const start = performance.now()
        const answer = await client.request('tools/call', { name, arguments: args })
        const took = performance.now() - start
        if (!('result' in answer) || 'isError' in (answer.result as object)) {
          throw new Error(JSON.stringify(answer))
        }
        // The first rounds fill caches and compile code.
        if (round >= 3) (samples.get(name) ?? begin(samples, name))[at]?.push(took)
        const bytes = Buffer.byteLength(JSON.stringify(answer))
        replies.set(name, Math.max(replies.get(name) ?? 0, bytes))
      }
    }
  }
  for (const [name, [small = [], large = []]] of samples) {
    const [before, after] = [quantile(small, 0.95), quantile(large, 0.95)]
    const ratio = after / before
    const bytes = replies.get(name) ?? 0
    console.log(
      `${name.padEnd(16)} p95 ${before.toFixed(2)} ms → ${after.toFixed(2)} ms  ratio ${ratio.toFixed(2)}` +
        `${ratio < LARGEST_RATIO ? '' : '  TOO MUCH'}   largest reply ${bytes} bytes${bytes < LARGEST_REPLY ? '' : '  TOO LARGE'}`,
    )
  }
  for (const { close } of projects) await close()
}

function begin(samples: Map<string, number[][]>, name: string): number[][] {
  const made = SIZES.map((): number[] => [])
  samples.set(name, made)
  return made
}

/** What agents ask: common and rare words, several words, phrases, prefixes, questions, typing errors. */
function* calls(round: number): Generator<[string, Record<string, unknown>]> {
  const [common, usual, rare, name] = [
    word(round % 5),
    word(40 + round),
    word(5_000 + round),
    word(300 + round),
  ]
  const queries = [
    common,
    usual,
    rare,
    `${common} ${usual}`,
    `${usual} ${name} ${rare}`,
    `"${common} ${word((round + 1) % 5)}"`,
    name.slice(0, -2),
    `how do we ${usual} the ${rare}`,
    `${rare.slice(0, 4)}zz${rare.slice(4)}`,
  ]
  for (const query of queries) yield ['search_fulltext', { query }]
  yield ['search_fulltext', { query: usual, type: 'decision' }]
  yield ['task_ready', {}]
  yield ['task_ready', { limit: 10, priority: 'high' }]
  yield ['task_next', {}]
  // Tasks that something blocks, and the one that has been there for longest.
  const blocked = String(1 + 10 * (1 + (round % 90)))
  yield ['graph_relations', { id: blocked }]
  yield ['graph_relations', { id: '1' }]
  yield ['graph_path', { from_id: '1', to_id: blocked }]
}

interface Filled {
  readonly client: MemoryClient
  readonly close: () => Promise<void>
}

async function fill(size: number): Promise<Filled> {
  const directory = join(folder, String(size))
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(directory, '.waymark'), { recursive: true })
  await initialiseProject(directory)
  const project = await openProject(directory)
  const start = performance.now()
  await insert(project.store, size)
  console.log(`${size} entities in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  const client = await serveInMemory({ store: project.store }, 'medulla')
  return {
    client,
    close: async () => {
      client.close()
      await project[Symbol.asyncDispose]()
    },
  }
}

/** Half of them tasks, a fifth of those blocked, as in a project that is worked on. */
async function insert(store: Store, size: number): Promise<void> {
  const random = createRandom(size)
  const ids: string[] = []
  for (let done = 0; done < size; done += 500) {
    await store.write(async (tx) => {
      for (let at = done; at < Math.min(size, done + 500); at += 1) {
        const type = (['task', 'decision', 'task', 'note'] as const)[at % 4] ?? 'note'
        const status =
          type === 'task'
            ? at % 3 === 0
              ? 'done'
              : 'todo'
            : type === 'decision'
              ? 'accepted'
              : null
        const row = await tx.entities.insert({
          id: toEntityId(crypto.randomUUID()),
          type,
          title: words(random, 6),
          content: words(random, CONTENT_WORDS),
          tags: [word(Math.floor(random() * 50))],
          status,
          properties: {
            ...(status !== null && { status }),
            ...(type === 'task' && { priority: [0, 250, 500, 750][Math.floor(random() * 4)] }),
          },
          createdAt: 1_750_000_000_000 + at * 1000,
          createdBy: null,
        })
        const before = ids[Math.floor(random() * ids.length)]
        if (type === 'task' && at % 5 === 0 && before !== undefined) {
          await tx.relations.insert({
            sourceId: toEntityId(before),
            type: 'blocks',
            targetId: row.id,
            properties: {},
            createdAt: row.createdAt,
            createdBy: null,
          })
        }
        if (type === 'task') ids.push(row.id)
      }
    })
  }
}

/** Words as in real text: few are common, most are rare. */
function words(random: () => number, count: number): string {
  return Array.from({ length: count }, () =>
    word(Math.min(VOCABULARY - 1, Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1)),
  ).join(' ')
}

/** A word that can be spoken, the same for the same number. */
function word(number: number): string {
  let rest = number + 7
  let text = ''
  do {
    text += SYLLABLES[rest % SYLLABLES.length] ?? ''
    rest = Math.floor(rest / SYLLABLES.length)
  } while (rest > 0)
  return `${text}${SYLLABLES[number % 7] ?? ''}`
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
