import type { Operation } from './operation.ts'

/** What access can be granted to; `entities` is about entities of every type, tasks among them. */
type Area =
  | 'tasks'
  | 'projects'
  | 'entities'
  | 'code'
  | 'agents'
  | 'messages'
  | 'events'
  | 'artifacts'
type Scope = `${Area}:${'read' | 'write'}`

/** Everything that can be granted. Events are a consequence of what is written elsewhere. */
export const SCOPES: readonly Scope[] = [
  'tasks:read',
  'tasks:write',
  'projects:read',
  'projects:write',
  'entities:read',
  'entities:write',
  'code:read',
  'code:write',
  'agents:read',
  'agents:write',
  'messages:read',
  'messages:write',
  'events:read',
  'artifacts:read',
  'artifacts:write',
]

/** What the operations of each noun show or change. Who upkeeps a project may do so with all that is in it. */
const AREAS_OF: Readonly<Record<string, readonly Area[]>> = {
  task: ['tasks'],
  spec: ['tasks'],
  project: ['projects'],
  cache: ['projects'],
  snapshot: ['projects'],
  hook: ['projects'],
  sync: ['projects'],
  backup: ['projects'],
  store: ['projects'],
  entity: ['entities'],
  relation: ['entities'],
  decision: ['entities'],
  graph: ['entities'],
  prompt: ['entities'],
  history: ['entities'],
  search: ['entities', 'messages', 'code', 'artifacts'],
  brief: ['tasks', 'messages', 'entities', 'code'],
  status: ['tasks', 'messages', 'entities'],
  code: ['code'],
  agent: ['agents'],
  message: ['messages'],
  event: ['events'],
  artifact: ['artifacts'],
}

/** What a caller must have been granted, all of it: `tasks:read`, `entities:write`. Deleting is a kind of writing. */
export function requiredScopes({
  name,
  effect,
}: Pick<Operation, 'name' | 'effect'>): readonly Scope[] {
  const areas = AREAS_OF[name.slice(0, name.indexOf('.'))]
  // An operation that nobody thought of is one that no token allows.
  if (areas === undefined) throw new Error(`${name} belongs to no area of access`)
  return areas.map((area) => `${area}:${effect === 'read' ? 'read' : 'write'}` as const)
}
