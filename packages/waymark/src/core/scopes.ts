import { nounOf } from '../nouns.generated.ts'
import type { Area } from './noun.ts'
import type { Operation } from './operation.ts'

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

/** What a caller must have been granted, all of it: `tasks:read`, `entities:write`. Deleting is a kind of writing. */
export function requiredScopes({
  name,
  effect,
}: Pick<Operation, 'name' | 'effect'>): readonly Scope[] {
  return nounOf(name).areas.map(
    (area) => `${area}:${effect === 'read' ? 'read' : 'write'}` as const,
  )
}
