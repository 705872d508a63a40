import { VERSION } from '../../support/version.ts'
import type { Dialect } from '../dialect.ts'
import { toErrorResult } from './errors.ts'
import { listedTools } from '../listed-tools.ts'
import listed from './tools.generated.json' with { type: 'json' }

const WRITING = 'ultragit_annotate'

/** The four tools of the spec, all of which only read. */
export const ULTRAGIT: Dialect = {
  name: 'ultragit',
  server: { name: 'ultragit', version: VERSION },
  capabilities: { tools: {} },
  listed: listedTools(listed).filter(({ name }) => name !== WRITING),
  loadTools: async () => (await loadTools()).filter((tool) => tool.listed.name !== WRITING),
  toErrorResult,
}

/** The same, and one to annotate with. */
export const ULTRAGIT_WRITE: Dialect = {
  ...ULTRAGIT,
  listed: listedTools(listed),
  loadTools,
}

async function loadTools() {
  return (await import('./tools.ts')).loadTools()
}
