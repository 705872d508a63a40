import { VERSION } from '../../support/version.ts'
import type { Dialect } from '../dialect.ts'
import { toErrorResult } from './errors.ts'
import { listedTools } from '../listed-tools.ts'
import listed from './tools.generated.json' with { type: 'json' }

export const TASKY: Dialect = {
  name: 'tasky',
  server: {
    name: 'tasky',
    version: VERSION,
    instructions:
      'Tasks of one project. Call project_info first: it lists the valid statuses. Find tasks with search_tasks, read them with get_tasks, change any number of them at once with edit_tasks.',
  },
  logsStart: true,
  listed: listedTools(listed),
  loadTools: async () => (await import('./tools.ts')).loadTools(),
  toErrorResult,
}
