import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['@waymark/source', 'node', 'development|production'] } },
  resolve: { conditions: ['@waymark/source'] },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts', 'docs/**/*.test.ts'],
    // Tests start real processes; two cores shared with them make the default of five seconds too tight.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
