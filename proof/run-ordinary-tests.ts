import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LONG_TESTS, RULES_ON_POSTGRES, SAMPLED_TESTS } from '../scripts/vitest/long-tests.ts'
import { ORDINARY_TESTS, type OrdinaryTest } from './ordinary-tests.ts'
import type { Level } from './proof.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

/** What makes the ordinary tests try more than they do in every check. */
export const FULL_COUNTS: Readonly<Record<string, string>> = {
  TEST_LEVEL: 'full',
  WAYMARK_CHECKPOINT_WRITES: '400',
  WAYMARK_DOCUMENT_RUNS: '10000',
  WAYMARK_EDGES: '100000',
  WAYMARK_HEALTHY_STORES: '100',
  WAYMARK_INJECTIONS: '2000',
  WAYMARK_MESSAGE_RUNS: '700',
  WAYMARK_MODEL_RUNS: '2000',
  WAYMARK_READY_RUNS: '5000',
  WAYMARK_RUNS: '500',
  WAYMARK_SWAPPED_READS: '10000',
  WAYMARK_TIMEOUTS: '500',
}

export type TestOutcome = 'passed' | 'failed' | 'skipped' | 'missing'

/** What became of each of the ordinary tests, by what it tries. */
export type TestOutcomes = ReadonlyMap<OrdinaryTest, TestOutcome>

/** Runs the ordinary tests that carry a promise, with their full counts. */
export function runOrdinaryTests(seed: number): TestOutcomes {
  const files = [...new Set(ORDINARY_TESTS.map(({ file }) => file))]
  const folder = mkdtempSync(join(tmpdir(), 'waymark-proof-'))
  const results = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  try {
    spawnSync(process.execPath, [VITEST, 'run', '--testTimeout=7200000', ...reporters, ...files], {
      cwd: ROOT,
      env: { ...process.env, ...FULL_COUNTS, TEST_SEED: String(seed) },
      stdio: 'inherit',
    })
    return toOutcomes(JSON.parse(readFileSync(results, 'utf8')) as Results)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs what `npm test` leaves to the proofs, whole. Answers whether all of it passed. */
export function runLongTests(level: Level): boolean {
  const done = level === 'full' ? ORDINARY_TESTS.map(({ file }) => file) : []
  const left = [...LONG_TESTS, ...SAMPLED_TESTS, ...RULES_ON_POSTGRES]
  const files = left.filter((file) => !done.includes(file))
  const { status } = spawnSync(process.execPath, [VITEST, 'run', ...files], {
    cwd: ROOT,
    env: { ...process.env, TEST_LEVEL: level },
    stdio: 'inherit',
  })
  return status === 0
}

interface Results {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

function toOutcomes({ testResults }: Results): TestOutcomes {
  const byFile = new Map(
    testResults.map(({ name, assertionResults }) => [resolve(name), assertionResults]),
  )
  return new Map(
    ORDINARY_TESTS.map((test) => {
      const all = byFile.get(resolve(ROOT, test.file)) ?? []
      const own = all.filter(({ fullName }) => fullName.includes(`[${test.id}]`))
      return [test, summarise(own.map(({ status }) => status))] as const
    }),
  )
}

function summarise(statuses: readonly string[]): TestOutcome {
  if (statuses.length === 0) return 'missing'
  if (statuses.every((status) => status === 'passed')) return 'passed'
  return statuses.includes('failed') ? 'failed' : 'skipped'
}
