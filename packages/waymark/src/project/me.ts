import * as z from 'zod'
import { callerId, isPerson } from '../agent/agent.ts'
import type { ReadContext } from '../core/context.ts'
import { defineOperation } from '../core/operation.ts'
import { SCOPES } from '../core/scopes.ts'
import { joined, line } from '../core/show.ts'
import { VERSION } from '../support/version.ts'
import { projectNameOf } from './project-name.ts'

export const whoAmI = defineOperation({
  name: 'project.me',
  summary: 'Say who you are here and what you may do',
  example: '',
  effect: 'read',
  personal: true,
  input: z.object({}),
  output: z.object({
    id: z.string().optional().describe('Id of the agent that you act as; owner for the person'),
    name: z.string().optional(),
    is_person: z.boolean().describe('Whether you are the person whose project it is'),
    role: z.enum(['viewer', 'agent', 'maintainer']),
    read_only: z.boolean(),
    scopes: z.array(z.string()).describe('What you may read and write'),
    version: z.string().describe('Of Waymark'),
    project: z.string().describe('Name of the project'),
    now: z.int().describe('The time of the store, in milliseconds since 1970'),
  }),
  async run(context) {
    const { agent, access, store } = context
    const id = callerId(agent)
    return {
      ...(id !== undefined && { id }),
      ...(agent.name !== null && { name: agent.name }),
      is_person: isPerson(agent),
      role: roleOf(context),
      read_only: access.readOnly,
      scopes: scopesOf(context),
      version: VERSION,
      project: projectNameOf(context),
      now: await store.now(context),
    }
  },
  show: ({ name, id, role, project, scopes }) => [
    line`${name ?? id ?? 'anonymous'}, ${role} of ${project}`,
    line`may: ${joined(scopes, ' ')}`,
  ],
})

function roleOf({ agent, access }: ReadContext): 'viewer' | 'agent' | 'maintainer' {
  if (access.readOnly) return 'viewer'
  return isPerson(agent) ? 'maintainer' : 'agent'
}

function scopesOf({ access: { readOnly, scopes } }: ReadContext): string[] {
  return SCOPES.filter(
    (scope) => (scopes?.has(scope) ?? true) && !(readOnly && scope.endsWith(':write')),
  )
}
