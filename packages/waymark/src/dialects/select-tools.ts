import { nearestNames } from '../search/text/spelling.ts'
import { Failure } from '../core/error.ts'
import type { Dialect } from './dialect.ts'
import { toUnderscoreName } from './to-underscore-name.ts'

/** Which tools are offered, as lists with commas. */
export interface ToolSelection {
  /** Groups of tools, where a dialect has such. */
  readonly toolsets?: string | undefined
  /** These and no others. */
  readonly tools?: string | undefined
  /** None that changes anything. Such a call is refused anyway, but a tool that only refuses is not worth its tokens. */
  readonly readOnly?: boolean | undefined
}

/** The dialects with those of their tools that are wanted. */
export function selectTools(
  dialects: readonly Dialect[],
  { toolsets, tools, readOnly = false }: ToolSelection,
): readonly Dialect[] {
  const named = tools === undefined ? undefined : wordsOf(tools)
  const allowed = named && new Set(named.map(toUnderscoreName))
  // Tools that are listed by name may come from any group.
  const groups = wordsOf(toolsets ?? (named === undefined ? '' : 'all'))
  const grouped = dialects.map((dialect) =>
    groups.length === 0 ? dialect : (dialect.withToolsets?.(groups) ?? dialect),
  )
  if (named !== undefined) refuseUnknown(grouped, named)
  return grouped.map(({ apps, ...dialect }) => ({
    ...dialect,
    // Those read only; of tools that are listed by name, none is added.
    ...(apps !== undefined && allowed === undefined && { apps }),
    listed: dialect.listed.filter(
      ({ name, annotations }) =>
        (allowed?.has(toUnderscoreName(name)) ?? true) &&
        (!readOnly || annotations?.readOnlyHint === true),
    ),
    loadTools: async (name) =>
      (await dialect.loadTools(name)).filter(
        ({ listed }) => allowed?.has(toUnderscoreName(listed.name)) ?? true,
      ),
  }))
}

function refuseUnknown(dialects: readonly Dialect[], named: readonly string[]): void {
  const known = dialects.flatMap(({ listed }) => listed.map(({ name }) => name))
  const plain = new Set(known.map(toUnderscoreName))
  const unknown = named.find((name) => !plain.has(toUnderscoreName(name)))
  if (unknown === undefined) return
  const near = nearestNames(unknown, known, (name) => toUnderscoreName(name).toLowerCase())
  const valid =
    near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ` among ${known.join(', ')}`
  throw new Failure('invalid_input', `tools: there is no tool ${JSON.stringify(unknown)}${valid}`, {
    details: { field: 'tools', value: unknown, valid: known },
  })
}

function wordsOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
