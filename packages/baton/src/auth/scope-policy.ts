/** The scopes that operations require, and which scopes imply others. */
export interface ScopePolicy {
  /** Required for every request. */
  readonly base: readonly string[]
  /** The scopes that a client without a token is told to request; `base` when absent. */
  readonly first?: readonly string[]
  /** Required in addition, by tool name. */
  readonly tools?: Readonly<Record<string, readonly string[]>>
  /** Required in addition, by method name. */
  readonly methods?: Readonly<Record<string, readonly string[]>>
  /** Required in addition, depending on the parameters of the request. */
  readonly needs?: (operation: Operation) => readonly string[]
  /** A broader scope and the narrower ones it includes. */
  readonly implies?: Readonly<Record<string, readonly string[]>>
}

/** One operation that a request asks for. */
export interface Operation {
  readonly method: string
  /** The tool, when the method is `tools/call`. */
  readonly tool?: string | undefined
  /** The parameters as the client sent them, not yet validated. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

/** A compiled scope policy. */
export interface ScopeRules {
  /** The union of all required scopes, so that the user is asked for consent only once. */
  needed(operations: readonly Operation[]): readonly string[]
  /** Whether the granted scopes, with the scopes they imply, include the needed ones. */
  covers(granted: readonly string[], needed: readonly string[]): boolean
}

/** Compiles a policy. */
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
  // Iterating a set also visits items added meanwhile, once each, so chains are followed and cycles end.
  const held = new Set(granted)
  for (const scope of held) for (const narrower of implied.get(scope) ?? []) held.add(narrower)
  return held
}

function namedScopes({ base, first = [], tools, methods, implies }: ScopePolicy): string[] {
  const tables = [tools, methods, implies].map((table) => Object.values(table ?? {}).flat())
  return [...base, ...first, ...tables.flat(), ...Object.keys(implies ?? {})]
}

/** RFC 6749 section 3.3; this also excludes quotes, which would break out of the challenge header. */
function assertScope(scope: string): void {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) throw new Error(`"${scope}" is not a scope`)
  if (scope === 'offline_access')
    throw new Error('scope offline_access concerns only client and issuer; remove it')
}
