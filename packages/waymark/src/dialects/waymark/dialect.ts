import { VERSION } from '../../support/version.ts'
import type { Dialect } from '../dialect.ts'
import { APPS } from './apps/list.ts'
import { explain } from './errors.ts'
import { PROMPTS } from './prompts.ts'
import { RESOURCES } from './resources/list.ts'
import { listedTools } from '../listed-tools.ts'
import listed from './tools.generated.json' with { type: 'json' }
import { DEFAULT_TOOLSETS, parseToolsets, type Toolset } from './toolsets.ts'

const INSTRUCTIONS = [
  'Shared memory and task queue of this repository, used by all agents that work on it.',
  'Call brief first, and again after a pause: its first line says what to do.',
  'task_next with claim leases the next unclaimed task; task_update with action complete ends it.',
  'Before you change code, code_why tells its reasons; recall finds decisions; remember records yours with the why.',
].join(' ')

export const WAYMARK: Dialect = createDialect(DEFAULT_TOOLSETS)

function createDialect(toolsets: readonly Toolset[]): Dialect {
  return {
    name: 'waymark',
    server: { name: 'waymark', version: VERSION, instructions: INSTRUCTIONS },
    listed: listedTools<{ toolset: string }>(listed).flatMap(({ toolset, ...tool }) =>
      toolsets.some((each) => each === toolset) ? [tool] : [],
    ),
    loadTools: async (name) => (await import('./tools.ts')).loadTools(toolsets, name),
    firstCalls: [
      ['brief', {}],
      ['recall', { query: 'decision' }],
      ['code_why', { path: 'README.md' }],
    ],
    withToolsets: (names) => createDialect(parseToolsets(names)),
    explain,
    isReadAsText: true,
    tellsLostLeases: true,
    ownPrompts: PROMPTS,
    apps: APPS,
    resources: {
      listed: RESOURCES,
      load: async () => (await import('./resources/read.ts')).loadResources(),
    },
  }
}
