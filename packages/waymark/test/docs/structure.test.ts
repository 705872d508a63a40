import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const SRC = 'packages/waymark/src'
/** About fourteen: more files in a folder hide a noun that should have a folder of its own. */
const MOST_FILES = 16

interface LintConfig {
  readonly overrides: readonly {
    readonly files: readonly string[]
    readonly rules: Readonly<Record<string, unknown>>
  }[]
}

function foldersOf(path: string): string[] {
  return readdirSync(`${root}${path}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${path}/${name}`)
}

it('the linter restricts the imports of every folder of the engine', () => {
  const { overrides }: LintConfig = JSON.parse(readFileSync(`${root}.oxlintrc.json`, 'utf8'))
  const ruled = new Set(
    overrides
      .filter(({ rules }) => 'no-restricted-imports' in rules)
      .flatMap(({ files }) => files.map((pattern) => pattern.replace(/\/\*.*$/, ''))),
  )
  expect(foldersOf(SRC).filter((folder) => !ruled.has(folder))).toEqual([])
})

it('no folder of sources holds more files than a reader takes in at once', () => {
  const crowded: string[] = []
  const visit = (folder: string): void => {
    const files = readdirSync(`${root}${folder}`).filter((name) => /\.tsx?$/.test(name))
    if (files.length > MOST_FILES) crowded.push(`${folder}: ${files.length} files`)
    for (const child of foldersOf(folder)) visit(child)
  }
  for (const one of foldersOf('packages')) visit(`${one}/src`)
  expect(crowded).toEqual([])
})
