/** What each operation needs, and which scopes stand for others. */
export interface ScopePolicy {
  /** Needed for every request. */
  readonly base: readonly string[]
  /** What a client without a token is told to ask for first; the base when absent. */
  readonly first?: readonly string[]
  /** Needed besides, by tool name. */
  readonly tools?: Readonly<Record<string, readonly string[]>>
  /** Needed besides, by method name. */
  readonly methods?: Readonly<Record<string, readonly string[]>>
  /** Needed besides, where that depends on what a request is about. */
  readonly needs?: (operation: Operation) => readonly string[]
  /** A broader scope and the narrower ones it includes. */
  readonly implies?: Readonly<Record<string, readonly string[]>>
}

/** One thing that a request asks for. */
export interface Operation {
  readonly method: string
  /** The tool, when the method is `tools/call`. */
  readonly tool?: string | undefined
  /** The parameters as they were sent: nobody has checked them yet. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/** Answers which scopes are needed and whether they are there. */
export interface ScopeRules {
  /** All scopes that the operations need together; asking for them at once spares the user a second question. */
  needed(operations: readonly Operation[]): readonly string[]
  /** Whether the granted scopes, with all that they include, cover the needed ones. */
  covers(granted: readonly string[], needed: readonly string[]): boolean
}

/** Prepares a policy for use. */
export function createScopeRules(policy: ScopePolicy): ScopeRules {
  const tools = new Map(Object.entries(policy.tools ?? {}))
  const methods = new Map(Object.entries(policy.methods ?? {}))
  const implied = new Map(Object.entries(policy.implies ?? {}))
  for (const scope of namedScopes(policy)) assertScope(scope)
  return {
    needed(operations) {
      const needed = new Set(policy.base)
      for (const operation of operations) {
        const { method, tool } = operation
        for (const scope of methods.get(method) ?? []) needed.add(scope)
        for (const scope of policy.needs?.(operation) ?? []) needed.add(scope)
        for (const scope of (tool !== undefined && tools.get(tool)) || []) needed.add(scope)
      }
      return [...needed]
    },
    covers(granted, needed) {
      const held = withImplied(granted, implied)
      return needed.every((scope) => held.has(scope))
    },
  }
}

function withImplied(
  granted: readonly string[],
  implied: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  // A set visits what is added while it is being walked, so chains and cycles both come to an end.
  const held = new Set(granted)
  for (const scope of held) for (const narrower of implied.get(scope) ?? []) held.add(narrower)
  return held
}

function namedScopes({ base, first = [], tools, methods, implies }: ScopePolicy): string[] {
  const tables = [tools, methods, implies].map((table) => Object.values(table ?? {}).flat())
  return [...base, ...first, ...tables.flat(), ...Object.keys(implies ?? {})]
}

/** RFC 6749 section 3.3; this also keeps quotes out of the challenge. */
function assertScope(scope: string): void {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) throw new Error(`"${scope}" is not a scope`)
  if (scope === 'offline_access') throw new Error('offline_access is between client and issuer')
}
