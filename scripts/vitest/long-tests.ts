/**
 * Soaks, and stories of the built command that shorter tests tell in parts. `npm run prove` runs them, in its short form
 * too; one of them is run with `TEST_LEVEL=short npx vitest run <path>`.
 */
export const LONG_TESTS: readonly string[] = [
  'examples/hootenanny/test/resilience.test.ts',
  'packages/dashboard/test/page/hostile.test.ts',
  'packages/dashboard/test/page/unpack-chromium.test.ts',
  'packages/waymark/test/e2e/a-day.test.ts',
  'packages/waymark/test/e2e/demo.test.ts',
  'packages/waymark/test/e2e/many-processes.test.ts',
  'packages/waymark/test/e2e/newcomer.test.ts',
  'packages/waymark/test/e2e/planted-configuration.test.ts',
  'packages/waymark/test/e2e/release.test.ts',
  'packages/waymark/test/e2e/started-programs.test.ts',
  'packages/waymark/test/e2e/two-agents.test.ts',
  'packages/waymark/test/e2e/wrong-clock.test.ts',
  'packages/waymark/test/operations/code/hostile-sources.test.ts',
  'packages/waymark/test/operations/code/rewrites.test.ts',
  'packages/waymark/test/operations/leases/foreign-leases.test.ts',
  'packages/waymark/test/operations/message-model.test.ts',
  'packages/waymark/test/operations/queue-model.test.ts',
  'packages/waymark/test/operations/ready-model.test.ts',
  'packages/waymark/test/replica/flood.test.ts',
  'packages/waymark/test/replica/full-history.test.ts',
  'packages/waymark/test/store/processes.test.ts',
]

/** Of these, `npm test` tries a part and `npm run prove` everything. */
export const SAMPLED_TESTS: readonly string[] = [
  'packages/dashboard/test/page/page.test.ts',
  'packages/waymark/test/files/state-folder.test.ts',
  'packages/waymark/test/install/doctor-damage.test.ts',
  'packages/waymark/test/install/format/json-properties.test.ts',
  'packages/waymark/test/install/safety.test.ts',
  'packages/waymark/test/replica/convergence.test.ts',
  'packages/waymark/test/replica/document-convergence.test.ts',
  'packages/waymark/test/replica/git-convergence.test.ts',
  'packages/waymark/test/stored-text/forged-lines.test.ts',
]

/**
 * Rules that `npm test` tries on SQLite and `npm run prove` on both engines: of their statements each is run on
 * PostgreSQL in `npm test` by another test, too.
 */
export const RULES_ON_POSTGRES: readonly string[] = [
  'board',
  'brief',
  'crew',
  'decisions',
  'idempotent',
  'imports-backlog',
  'knowledge/brief-knowledge',
  'lanes',
  'leases/arrivals',
  'leases/held-tasks',
  'paths',
  'poison-tasks',
  'project-facts',
  'prompts',
  'search-advice',
  'secrets',
  'snapshot',
  'spec-text',
  'task-context',
  'trust',
  'undo-rules',
].map((name) => `packages/waymark/test/operations/${name}.test.ts`)
