import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface FoundPattern {
  readonly where: string
  readonly pattern: RegExp
}

/** Every regular expression that stands in the sources. */
export function collectPatterns(): FoundPattern[] {
  const packages = readdirSync(join(ROOT, 'packages'))
  return packages.flatMap((name) => {
    const folder = join(ROOT, 'packages', name, 'src')
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .flatMap(({ parentPath, name }) => patternsIn(join(parentPath, name)))
  })
}

function patternsIn(path: string): FoundPattern[] {
  const found: FoundPattern[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('regex' in value && isRegex(value.regex)) {
      const { pattern, flags } = value.regex
      found.push({ where: relative(ROOT, path), pattern: new RegExp(pattern, flags) })
    }
    Object.values(value).forEach(visit)
  }
  visit(parseAst(readFileSync(path, 'utf8'), { lang: 'ts' }))
  return found
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value
}
