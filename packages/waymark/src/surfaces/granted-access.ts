import type { Access } from '../core/context.ts'
import { SCOPES } from '../core/scopes.ts'

/** Write access implies read access, since every write returns what it changed. */
export const IMPLIED_SCOPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  SCOPES.filter((scope) => scope.endsWith(':write')).map((scope) => [
    scope,
    [scope.replace(':write', ':read')],
  ]),
)

/** What a caller may do on a server: no more than the server allows, and no more than a token grants. */
export function accessOf(
  access: Access,
  principal: { readonly scopes?: readonly string[] } | undefined,
): Access {
  if (principal?.scopes === undefined) return access
  const implied = principal.scopes.flatMap((scope) => IMPLIED_SCOPES[scope] ?? [])
  return { ...access, scopes: new Set([...principal.scopes, ...implied]) }
}
