import { nounOf } from '../nouns.generated.ts'
import type { Area } from './noun.ts'
import type { Operation } from './operation.ts'
import { lookUp } from '../support/look-up.ts'

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

type Scoped = Pick<Operation, 'name' | 'effect' | 'areasBy'>

/**
 * What a caller must have been granted, all of it: `tasks:read`, `entities:write`. Deleting is a kind of writing. The
 * input matters to an operation with `areasBy`; without one, it needs what it needs by default.
 */
export function requiredScopes(
  { name, effect, areasBy }: Scoped,
  input?: unknown,
): readonly Scope[] {
  const own = areasBy && lookUp(areasBy.areas, textAt(input, areasBy.field))
  return toScopes(own ?? nounOf(name).areas, effect)
}

/** Every set of scopes that is enough for some input, the default first. */
export function scopeChoices(operation: Scoped): readonly (readonly Scope[])[] {
  const others = Object.values(operation.areasBy?.areas ?? {})
  return [requiredScopes(operation), ...others.map((areas) => toScopes(areas, operation.effect))]
}

function toScopes(areas: readonly Area[], effect: Operation['effect']): readonly Scope[] {
  return areas.map((area) => `${area}:${effect === 'read' ? 'read' : 'write'}` as const)
}

/** The text in a field of an input that may not have been checked yet. */
function textAt(input: unknown, field: string): string {
  const value = (input as Readonly<Record<string, unknown>> | null | undefined)?.[field]
  return typeof value === 'string' ? value : ''
}
