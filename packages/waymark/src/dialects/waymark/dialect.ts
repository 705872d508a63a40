import type { Tool } from '@waymark/baton'
import { VERSION } from '../../version.ts'
import type { Dialect } from '../dialect.ts'
import listed from './tools.generated.json' with { type: 'json' }

export const WAYMARK: Dialect = {
  name: 'waymark',
  server: {
    name: 'waymark',
    version: VERSION,
    instructions:
      'Shared memory of this repository. Before you start, list decisions and tasks; record what you decide and why.',
  },
  listed: listed as readonly Tool[],
  loadTools: async () => (await import('./tools.ts')).loadTools(),
}
