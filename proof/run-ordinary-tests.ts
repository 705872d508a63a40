import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ORDINARY_TESTS } from './ordinary-tests.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

/** What makes the ordinary tests try more than they do in every check. */
const FULL_COUNTS: Readonly<Record<string, string>> = { TEST_LEVEL: 'full' }

/** Runs the ordinary tests that carry a promise with their full counts; true if all of them passed. */
export function runOrdinaryTests(seed: number): boolean {
  const files = [...new Set(ORDINARY_TESTS.map(({ file }) => file))]
  const { status } = spawnSync(
    process.execPath,
    [VITEST, 'run', '--testTimeout=7200000', ...files],
    {
      cwd: ROOT,
      env: { ...process.env, ...FULL_COUNTS, TEST_SEED: String(seed) },
      stdio: 'inherit',
    },
  )
  return status === 0
}
