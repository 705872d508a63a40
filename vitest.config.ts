import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@waymark/source', 'node', 'development|production'] } },
  resolve: { conditions: ['@waymark/source'] },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts', 'docs/**/*.test.ts'],
    // Tests start real processes. A busy machine may take twenty times as long for them as an idle one, and only a test
    // that will never end should fail by the clock.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
