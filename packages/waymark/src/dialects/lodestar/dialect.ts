import { VERSION } from '../../support/version.ts'
import type { Dialect } from '../dialect.ts'
import { toErrorResult } from './errors.ts'
import { PROMPTS } from './prompts.ts'
import { RESOURCES } from './resources.ts'
import { listedTools } from '../listed-tools.ts'
import listed from './tools.generated.json' with { type: 'json' }

export const LODESTAR: Dialect = {
  name: 'lodestar',
  server: {
    name: 'lodestar',
    version: VERSION,
    instructions:
      'Many agents, one repository. Join first and use your agentId in every call. Then: next, claim, context, done, verify. Messages and events tell what the others do.',
  },
  listed: listedTools(listed),
  loadTools: async () => (await import('./tools.ts')).loadTools(),
  loadSync: async () => (await import('../../task/spec/operations.ts')).syncSpec,
  resources: RESOURCES,
  ownPrompts: PROMPTS,
  toErrorResult,
  toNews: ({ type, subject, data }) => ({
    type,
    ...(data['type'] === 'task' && { taskId: data['key'] ?? subject }),
    ...(data['agent_id'] !== undefined && { actorAgentId: data['agent_id'] }),
    ...(data['to'] !== undefined && { targetAgentId: data['to'] }),
  }),
}
