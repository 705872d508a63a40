import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LONG_TESTS, RULES_ON_POSTGRES } from './scripts/vitest/long-tests.ts'
import { SMALL_FORKS } from './scripts/vitest/small-forks.ts'

/** About durability and whole processes: these use a real disk, and wait for it. */
const ON_DISK = [
  'packages/waymark/test/store/**/*.test.ts',
  'packages/waymark/test/e2e/**/*.test.ts',
  'packages/dashboard/test/page/**/*.test.ts',
]

/** Count turns of the event loop, which differ once modules of other packages have been loaded. */
const BATON = ['packages/baton/test/**/*.test.ts']

/** Sessions behave the same in memory, in a file and in PostgreSQL. */
const SESSIONS = ['event-log', 'lifecycle', 'record-store'].map(
  (name) => `packages/baton/test/session/${name}.test.ts`,
)
const POSTGRES_SESSIONS = 'packages/baton/test/session/postgres-*.test.ts'

/** Operations behave the same on both engines. */
const POSTGRES = ['packages/waymark/test/postgres/**/*.test.ts']
const ON_POSTGRES = [
  'packages/waymark/test/operations/**/*.test.ts',
  ...POSTGRES,
  ...SESSIONS,
  POSTGRES_SESSIONS,
]

/**
 * About files of SQLite, its statements or its locks, about what is read or refused before it is stored, or long random
 * runs of rules that both engines share. Of the tests that are mostly about Git, one is tried on both: a
 * project of a team server has no code.
 */
const NOT_ON_POSTGRES = [
  'packages/waymark/test/operations/code/!(corrections).test.ts',
  ...[
    'all-operations',
    'artifacts/collect',
    'damaged-rows',
    'entity-validation',
    'exports',
    'hook-kinds',
    'hostile-yaml',
    'imports-knowledge',
    'imports-lodestar',
    'imports-repeated',
    'large-answers',
    'large-graphs',
    'leases/foreign-leases',
    'message-model',
    'queue-model',
    'reads/read-only',
    'ready-model',
    'reserved-paths',
    'scopes',
    'timeouts',
    'undo-uses',
  ].map((name) => `packages/waymark/test/operations/${name}.test.ts`),
]

/** Starts worker threads from a bundle. */
const START_FROM_SOURCE = fileURLToPath(
  new URL('scripts/vitest/start-from-source.ts', import.meta.url),
)

/** Left to `npm run prove`. */
const isEveryCheck = process.env['TEST_LEVEL'] === undefined
const LONG = isEveryCheck ? LONG_TESTS : []

const DETECT_NESTED_WRITES = 'scripts/vitest/detect-nested-writes.ts'

export default defineConfig({
  ssr: { resolve: { conditions: ['@waymark/source', 'node', 'development|production'] } },
  resolve: {
    conditions: ['@waymark/source'],
    alias: [{ find: /^\.\/start-from-source\.ts$/, replacement: START_FROM_SOURCE }],
  },
  test: {
    // Tests start real processes. A busy machine may take twenty times as long for them as an idle one, and only a test
    // that will never end should fail by the clock.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // One second by default.
    expect: { poll: { timeout: 60_000 } },
    // One more than the cores of a small machine: many tests wait for a disk, a process or a timer.
    maxWorkers: 3,
    pool: SMALL_FORKS,
    // Modules are loaded once per worker, not once per file; none keeps state, and globals are restored after each file.
    isolate: false,
    // The projects below share what they transformed.
    experimental: { fsModuleCache: true },
    globalSetup: 'scripts/vitest/run-folder.ts',
    setupFiles: ['scripts/vitest/restore-globals.ts', 'scripts/vitest/report-size.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'disk',
          include: ON_DISK,
          exclude: [...LONG],
          setupFiles: DETECT_NESTED_WRITES,
        },
      },
      {
        extends: true,
        test: {
          name: 'baton',
          include: BATON,
          exclude: [POSTGRES_SESSIONS],
          setupFiles: 'scripts/vitest/in-memory.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ON_POSTGRES,
          exclude: [...NOT_ON_POSTGRES, ...(isEveryCheck ? RULES_ON_POSTGRES : [])],
          globalSetup: 'scripts/vitest/postgres-server.ts',
          setupFiles: ['scripts/vitest/in-memory.ts', 'scripts/vitest/on-postgres.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'memory',
          include: [
            'packages/*/test/**/*.test.ts',
            'examples/**/*.test.ts',
            'docs/**/*.test.ts',
            'lab/**/*.test.ts',
          ],
          exclude: [...ON_DISK, ...BATON, ...POSTGRES, ...LONG],
          setupFiles: ['scripts/vitest/in-memory.ts', DETECT_NESTED_WRITES],
        },
      },
    ],
  },
})
