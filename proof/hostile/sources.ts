import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CodeRequest } from '../../packages/waymark/src/annotation/outline/code-workers.ts'
import { DiskCache } from '../../packages/waymark/src/git/disk-cache.ts'
import { Outlines } from '../../packages/waymark/src/annotation/outline/outlines.ts'
import { parseUnits } from '../../packages/waymark/src/annotation/outline/parse-outline.ts'
import { startWorker } from '../../packages/waymark/src/support/worker/start-worker.ts'
import type { Reply } from '../../packages/waymark/src/support/worker/worker-pool.ts'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import type { Findings, Level, Proof, Trial } from '../proof.ts'
import { createProject } from '../system/repository.ts'

const FILES: Readonly<Record<Level, number>> = { short: 1, full: 40 }
const FILES_WITH_FAULT = 1
const LARGEST: Readonly<Record<Level, number>> = { short: 120_000, full: 1_900_000 }

/** A turn of the event loop holds others up if it is longer than this and takes most of the time of a call. */
const LONGEST_TURN_MS = 150
const LOOK_EVERY_MS = 5
/** Two threads of 128 MB for parsers and 256 MB for JavaScript each, and memory that is not returned at once. */
const MOST_MEMORY = 900 * 1024 * 1024

/** A declaration of each language, by the ending of its files. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'function good() {}',
  tsx: 'function good() {}',
  js: 'function good() {}',
  py: 'def good(): pass',
  rs: 'fn good() {}',
  go: 'package a\nfunc good() {}',
  java: 'class good {}',
  c: 'int good(void) { return 1; }',
  cpp: 'int good() { return 1; }',
  cs: 'class good {}',
  rb: 'def good; end',
  php: '<?php function good() {}',
  kt: 'fun good() {}',
  swift: 'func good() {}',
}

/** What grammars leave open for long: each could still become several things. */
const PIECES = [
  'a<b>(',
  'a<b<',
  '(a',
  '[a,',
  '{a:',
  'a?b:',
  '<a>',
  '"${',
  '`${',
  'if(a)',
  'class A{',
  'a=>',
  '*&',
  '@a(',
  'for(',
  'fn(',
  '#[',
  '/*',
  '<<A\n',
  'a.b(c,',
  '\n ',
] as const

/** Those that stalled a server for seconds and took gigabytes, whichever pieces are drawn. */
const KNOWN: readonly (readonly [ending: string, shape: string])[] = [
  ['cs', 'a<b<'],
  ['cpp', 'a<b<'],
  ['kt', 'a<b>('],
  ['ts', 'a<b<'],
]

export const sources: Proof = {
  id: 'sources',
  promise: 'A source file made to overload its parser holds up no other request',
  unit: 'hostile files',
  goal: 80,
  faults: ['parsed_by_the_server', 'thread_kept_after_failure', 'given_up_for_good'],
  run: trySources,
}

/** The names of the units; undefined where there is no outline. */
type NamesOf = (path: string, text: string) => Promise<readonly string[] | undefined>

async function trySources({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  await using cache = new DiskCache(join(project.path, '.git/waymark/cache'))
  await using outliner = createOutliner(cache, fault)
  const random = createRandom(seed)
  const count = fault === undefined ? FILES[level] : FILES_WITH_FAULT
  const before = process.memoryUsage.rss()
  const violations = { held_up: 0, unanswered: 0, outline_lost: 0, memory_kept: 0 }
  let [longest, failed] = [0, 0]
  let example: string | undefined
  for (let file = 0; file < count; file += 1) {
    const { ending, shape, size } = draw(random, { file, level })
    const text = shape.repeat(Math.ceil(size / shape.length))
    const { turn, total, outcome } = await watch(outliner.namesOf(`hostile.${ending}`, text))
    longest = Math.max(longest, turn)
    const isHeldUp = turn > LONGEST_TURN_MS && turn > total / 2
    if (isHeldUp) violations.held_up += 1
    if (outcome === 'rejected') violations.unanswered += 1
    if (outcome === undefined) failed += 1
    const good = await watch(outliner.namesOf(`good.${ending}`, `${LANGUAGES[ending]}\n`))
    const isLost = good.outcome?.[0] !== 'good'
    if (isLost) violations.outline_lost += 1
    if (isHeldUp || isLost) example ??= `${JSON.stringify(shape)} as .${ending}, ${size} characters`
  }
  const grown = process.memoryUsage.rss() - before
  if (grown > MOST_MEMORY) violations.memory_kept += 1
  return {
    tried: count,
    violations,
    counts: { without_outline: failed },
    figures: { longest_turn_ms: Math.round(longest), memory_mb: Math.round(grown / 2 ** 20) },
    example,
  }
}

function draw(random: Random, { file, level }: { readonly file: number; readonly level: Level }) {
  const size = 100_000 + random.below(LARGEST[level] - 100_000)
  const known = KNOWN[file]
  if (known !== undefined) return { ending: known[0], shape: known[1], size }
  const pieces = Array.from({ length: 1 + random.below(3) }, () => random.pick(PIECES))
  return { ending: random.pick(Object.keys(LANGUAGES)), shape: pieces.join(''), size }
}

interface Watched<T> {
  readonly outcome: T | 'rejected'
  /** The longest turn of the event loop meanwhile, and the whole time, in milliseconds. */
  readonly turn: number
  readonly total: number
}

async function watch<T>(work: Promise<T>): Promise<Watched<T>> {
  const start = performance.now()
  let turn = 0
  let outcome: { readonly value: T | 'rejected' } | undefined
  work.then(
    (value) => (outcome = { value }),
    () => (outcome = { value: 'rejected' }),
  )
  for (let last = start; ;) {
    await sleep(LOOK_EVERY_MS)
    const now = performance.now()
    turn = Math.max(turn, now - last)
    last = now
    if (outcome !== undefined) return { outcome: outcome.value, turn, total: now - start }
  }
}

interface Outliner extends AsyncDisposable {
  readonly namesOf: NamesOf
}

/** As a repository makes it, or with a mistake. */
function createOutliner(cache: DiskCache, fault: string | undefined): Outliner {
  if (fault === 'thread_kept_after_failure') return createUnreplaced()
  const outlines = new Outlines(cache)
  let hasFailed = false
  const ask: NamesOf = async (path, text) => {
    const blob = createHash('sha1').update(text).digest('hex')
    const { supported, units } = await outlines.of({ path, text, blob })
    return supported ? units.map(({ name }) => name) : undefined
  }
  const faulty: NamesOf = async (path, text) => {
    if (fault === 'parsed_by_the_server')
      return (await parseUnits(path, text).catch(() => undefined))?.map(({ name }) => name)
    if (hasFailed) return undefined
    const names = await ask(path, text)
    hasFailed = names === undefined
    return names
  }
  return {
    namesOf: fault === undefined ? ask : faulty,
    [Symbol.asyncDispose]: () => outlines[Symbol.asyncDispose](),
  }
}

/** One thread for all files, even after its parser has failed. */
function createUnreplaced(): Outliner {
  const worker = startWorker('code', {})
  const isReady = once(worker, 'message')
  return {
    namesOf: async (path, text) => {
      await isReady
      worker.postMessage({ task: 'outline', path, text } satisfies CodeRequest)
      const [reply] = (await once(worker, 'message')) as [Reply<string>]
      if (reply === 'ready' || 'failure' in reply) return undefined
      return (JSON.parse(reply.answer) as { name: string }[] | null)?.map(({ name }) => name)
    },
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  }
}
