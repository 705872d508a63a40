import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface FoundPattern {
  /** The file, as its path in the repository; with the line, where the expression is put together. */
  readonly where: string
  readonly pattern: RegExp
}

export interface Sources {
  /** Every regular expression that stands in the sources. */
  readonly written: readonly FoundPattern[]
  /** The places that put regular expressions together, each a file and the line. */
  readonly building: readonly string[]
}

export function readSources(): Sources {
  const written: FoundPattern[] = []
  const building = new Set<string>()
  for (const path of sourceFiles()) {
    const where = relative(ROOT, path).replaceAll('\\', '/')
    const text = readFileSync(path, 'utf8')
    visit(parseAst(text, { lang: 'ts' }), (node) => {
      if ('regex' in node && isRegex(node.regex)) {
        const { pattern, flags } = node.regex
        written.push({ where, pattern: new RegExp(pattern, flags) })
      }
      if ('callee' in node && isRegExp(node.callee)) building.add(`${where}:${lineOf(node, text)}`)
    })
  }
  return { written, building: [...building] }
}

function sourceFiles(): string[] {
  return readdirSync(join(ROOT, 'packages')).flatMap((name) =>
    readdirSync(join(ROOT, 'packages', name, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map(({ parentPath, name }) => join(parentPath, name)),
  )
}

function visit(value: unknown, look: (node: object) => void): void {
  if (typeof value !== 'object' || value === null) return
  look(value)
  for (const part of Object.values(value)) visit(part, look)
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value
}

function lineOf(node: object, text: string): number {
  const start = 'start' in node ? Number(node.start) : Number.NaN
  return text.slice(0, start).split('\n').length
}

/** `RegExp(…)` and `new RegExp(…)`. */
function isRegExp(callee: unknown): boolean {
  return (
    typeof callee === 'object' && callee !== null && 'name' in callee && callee.name === 'RegExp'
  )
}
