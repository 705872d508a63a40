import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { quantile } from '../statistics.ts'
import { bar, type Row, told } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const VISITED = [
  '/',
  '/board',
  '/agents',
  '/knowledge',
  '/graph/1',
  '/activity',
  '/health',
  '/code/',
]
const QUIET_MS = 3000
/** A wait can only be made longer by other work on the machine, so the shortest of these counts; of CPU the longest. */
const TRIES = 3
/** As long as the turn that is planted in the server at least, and the time until it is over on a busy machine. */
const PLANTED_MS = 60
const PLANTING_MS = 1500
/** These wait for something by design, or leave the machine. */
const WAITING = /^(?:event\.wait|event\.stream|sync\.|replica\.)/
const LONGEST_CALL_MS = 60_000

/**
 * How long the server answers nothing else, while all views are opened and while every route that reads is asked: CPU of
 * the longest turn of its event loop, and the longest wait for a health check.
 */
export async function measureTurns(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const planted = await plantTurn(server)
  using _ = { [Symbol.dispose]: () => server.toggleTurns() }
  const quiet = quantile(await probe(watched.origin, () => pause(QUIET_MS)), 0.5)
  const heldBy = async (work: () => Promise<unknown>): Promise<Held> => {
    const waits: number[] = []
    const turns: number[] = []
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const started = Date.now()
      waits.push(Math.max(...(await probe(watched.origin, work))) - quiet)
      turns.push(server.longestTurnSince(started))
    }
    return { wait: Math.min(...waits), turn: Math.max(...turns) }
  }
  const views = await heldBy(async () => {
    for (const path of VISITED) await watched.go(path)
  })
  const routes = await readingRoutes(watched.page)
  const held: (Held & { readonly name: string })[] = []
  for (const [name, input] of routes) {
    const call = [name, input, LONGEST_CALL_MS] as const
    held.push({ name, ...(await heldBy(() => watched.page.evaluate(post, call))) })
  }
  const worst = held.toSorted((one, other) => other.turn - one.turn).slice(0, 3)
  const slowest = worst
    .map(({ name, turn }) => `${name.slice('/api/'.length)} ${turn.toFixed(0)}`)
    .join(', ')
  const longest = Math.max(...held.map(({ wait }) => wait))
  return [
    told('14', `a planted turn of ${PLANTED_MS} ms of CPU, as it is measured`, planted, 'ms'),
    bar('14', 'CPU of the server in one turn while views load', views.turn, 50, 'ms'),
    bar('14', `while ${routes.length} routes answer (${slowest})`, worst[0]?.turn ?? 0, 50, 'ms'),
    told('14', 'longest wait of another request while views load', views.wait, 'ms'),
    told('14', 'longest wait of another request while these routes answer', longest, 'ms'),
  ]
}

/** Begins to measure, with a long turn that must be found: a measurement that finds none would meet every limit. */
async function plantTurn(server: UiServer): Promise<number> {
  const started = Date.now()
  server.toggleTurns()
  await pause(PLANTING_MS)
  const found = server.longestTurnSince(started)
  if (found < PLANTED_MS) throw new Error(`of a turn of ${PLANTED_MS} ms only ${found} were found`)
  return found
}

interface Held {
  /** Of another request, in wall-clock time, less what it takes when nothing happens. */
  readonly wait: number
  /** CPU of the longest turn of the server's event loop. */
  readonly turn: number
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly minimum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Method {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

type Route = readonly [name: string, input: object]

/** Each route that reads, with what it must be given: those that can be asked by GET, as the server describes them. */
async function readingRoutes(page: Page): Promise<readonly Route[]> {
  const text = await page.evaluate(post, ['/openapi.json', undefined, LONGEST_CALL_MS] as const)
  const { paths } = JSON.parse(text) as { paths: Record<string, { get?: Method; post?: Method }> }
  return Object.entries(paths).flatMap(([path, { get, post: method }]): readonly Route[] => {
    const [, name = ''] = /^\/api\/([\w.]+)$/.exec(path) ?? []
    if (get === undefined || name === '' || WAITING.test(name)) return []
    const schema = method?.requestBody?.content['application/json']?.schema ?? {}
    return [[`/api/${name}`, toInput(schema)]]
  })
}

function toInput({ required = [], properties = {} }: Schema): object {
  return Object.fromEntries(required.map((name) => [name, toValue(name, properties[name] ?? {})]))
}

function toValue(name: string, schema: Schema): unknown {
  const { type, enum: choices, anyOf, items, minimum } = schema
  if (choices !== undefined) return choices[0]
  if (anyOf !== undefined) return toValue(name, anyOf[0] ?? {})
  if (type === 'integer' || type === 'number') return Math.max(1, minimum ?? 1)
  if (type === 'boolean') return true
  if (type === 'array') return [toValue(name, items ?? {})]
  if (type === 'object') return toInput(schema)
  if (/path|file/.test(name)) return 'src/long.ts'
  return /query|text|topic|situation/.test(name) ? 'parser' : '1'
}

/** Runs in the page: asks with the session of the page. A refusal is an answer too. */
async function post([path, input, limit]: readonly [
  string,
  object | undefined,
  number,
]): Promise<string> {
  const { token } = JSON.parse(localStorage.getItem('waymark.session') ?? '{}') as { token: string }
  const answer = await fetch(path, {
    method: input === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(input !== undefined && { body: JSON.stringify(input) }),
    signal: AbortSignal.timeout(limit),
  })
  if (answer.status === 401) throw new Error('the session has ended')
  return await answer.text()
}

async function probe(origin: string, work: () => Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = []
  let isOver = false
  const probing = (async () => {
    while (!isOver) {
      const started = performance.now()
      await (await fetch(`${origin}/health`)).text()
      waits.push(performance.now() - started)
      await pause(2)
    }
  })()
  await work()
  isOver = true
  await probing
  return waits
}
