import { Failure } from '../core/error.ts'
import type { Dialect } from './dialect.ts'
import { selectTools, type ToolSelection } from './select-tools.ts'
import { lookUp } from '../support/look-up.ts'

const DIALECTS: Readonly<Record<string, () => Promise<Dialect>>> = {
  waymark: async () => (await import('./waymark/dialect.ts')).WAYMARK,
  medulla: async () => (await import('./medulla/dialect.ts')).MEDULLA,
  lodestar: async () => (await import('./lodestar/dialect.ts')).LODESTAR,
  tasky: async () => (await import('./tasky/dialect.ts')).TASKY,
  ultragit: async () => (await import('./ultragit/dialect.ts')).ULTRAGIT,
  'ultragit-write': async () => (await import('./ultragit/dialect.ts')).ULTRAGIT_WRITE,
}

export const DIALECT_NAMES: readonly string[] = Object.keys(DIALECTS)

/** The dialects named in a list such as `medulla,waymark`, in that order. */
export async function loadDialects(
  names: string,
  selection: ToolSelection = {},
): Promise<readonly [Dialect, ...Dialect[]]> {
  const wanted = [...new Set(names.split(',').map((name) => name.trim().toLowerCase()))].filter(
    (name) => name !== '',
  )
  const [main, ...others] = selectTools(await Promise.all(wanted.map(loadDialect)), selection)
  if (main === undefined) throw unknown(names)
  refuseSharedNames([main, ...others])
  return [main, ...others]
}

async function loadDialect(name: string): Promise<Dialect> {
  const load = lookUp(DIALECTS, name)
  if (load === undefined) throw unknown(name)
  return await load()
}

function unknown(name: string): Failure {
  return new Failure(
    'invalid_input',
    `dialect: must be one or more of ${DIALECT_NAMES.join(', ')}`,
    {
      details: { field: 'dialect', value: name, valid: DIALECT_NAMES },
    },
  )
}

/** A tool name can mean one thing only, so dialects that share one cannot be served side by side. */
function refuseSharedNames(dialects: readonly Dialect[]): void {
  const owners = new Map<string, string>()
  for (const { name, listed } of dialects) {
    for (const tool of listed) {
      const owner = owners.get(tool.name)
      if (owner !== undefined) {
        throw new Failure(
          'invalid_input',
          `dialect: ${owner} and ${name} both have a tool ${tool.name}; serve one of them`,
          {
            details: { field: 'dialect', tool: tool.name },
          },
        )
      }
      owners.set(tool.name, name)
    }
  }
}
