import { VERSION } from '../../support/version.ts'
import type { Dialect } from '../dialect.ts'
import { toErrorCode, toResourceErrorCode } from './errors.ts'
import { RESOURCES } from './resource-list.ts'
import { listedTools } from '../listed-tools.ts'
import listed from './tools.generated.json' with { type: 'json' }

export const MEDULLA: Dialect = {
  name: 'medulla',
  server: { name: 'medulla', version: VERSION },
  needsProject: true,
  ignoresUnknownProperties: true,
  logsStart: true,
  logsCalls: true,
  readsRustLog: true,
  // A batch of 100 with 100 KB of content and 50 KB of context each, every other character escaped.
  messageBytes: 32 * 1024 * 1024,
  strictVersions: ['2025-11-25'],
  listed: listedTools(listed),
  loadTools: async () => (await import('./tools.ts')).loadTools(),
  toErrorCode,
  resources: {
    listed: RESOURCES,
    load: async () => (await import('./resources.ts')).loadResources(),
    toErrorCode: toResourceErrorCode,
  },
  prompts: true,
  capabilities: {
    tools: { listChanged: false },
    resources: { subscribe: true, listChanged: false },
    prompts: { listChanged: true },
    logging: {},
  },
}
