import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Noun } from '../packages/waymark/src/core/noun.ts'
import type { Operation } from '../packages/waymark/src/core/operation.ts'

const SOURCES = new URL('../packages/waymark/src/', import.meta.url)

const HEAD = '// Written by `npm run generate` from the definitions in the slices; do not edit.\n'

/** `nouns.generated.ts`: facts about each noun, without loading its slice. */
export async function nounsModule(): Promise<string> {
  const nouns = (await exportsOf('noun.ts', isNoun)).map(({ value }) => value)
  const sorted = nouns.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return `${HEAD}import type { Noun } from './core/noun.ts'

export const NOUNS: readonly Noun[] = ${JSON.stringify(sorted, null, 2)}

/** The noun of an operation. */
export function nounOf(operation: string): Noun {
  const noun = NOUNS.find(({ name }) => operation.startsWith(\`\${name}.\`))
  if (noun === undefined) throw new Error(\`no noun.ts defines the noun of \${operation}\`)
  return noun
}
`
}

/** `registry.generated.ts`: each operation by its name, loaded when it is used. */
export async function registryModule(): Promise<string> {
  const found = await exportsOf('.ts', isOperation)
  const lines = found
    .toSorted((one, other) => (one.value.name < other.value.name ? -1 : 1))
    .map(
      ({ path, exported, value }) =>
        `  '${value.name}': async () => (await import('./${path}')).${exported},`,
    )
  return `${HEAD}
export const OPERATIONS = {
${lines.join('\n')}
} as const

export type OperationName = keyof typeof OPERATIONS
`
}

interface Exported<T> {
  readonly path: string
  readonly exported: string
  readonly value: T
}

async function exportsOf<T>(
  ending: string,
  isWanted: (value: unknown) => value is T,
): Promise<readonly Exported<T>[]> {
  const found: Exported<T>[] = []
  for (const path of definingFiles(ending)) {
    const module = (await import(new URL(path, SOURCES).href)) as Readonly<Record<string, unknown>>
    for (const [exported, value] of Object.entries(module)) {
      if (isWanted(value)) found.push({ path, exported, value })
    }
  }
  return found
}

/** By file name: importing every file would run the entry points. */
function definingFiles(ending: string): readonly string[] {
  const names = readdirSync(fileURLToPath(SOURCES), { recursive: true, encoding: 'utf8' })
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith(ending) && !name.startsWith('core/'))
    .filter((name) =>
      /= define(?:Operation|Noun)\(/.test(readFileSync(new URL(name, SOURCES), 'utf8')),
    )
    .toSorted()
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'run' in value && 'effect' in value
}

function isNoun(value: unknown): value is Noun {
  return typeof value === 'object' && value !== null && 'about' in value && 'areas' in value
}
