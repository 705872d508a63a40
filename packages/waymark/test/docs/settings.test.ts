import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const page = read('docs/reference/settings.md')
const sources = readdirSync(`${root}packages/waymark/src`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => read(`packages/waymark/src/${path}`))

/** Where a document begins and ends in a script of a shell. */
const NO_SETTING: ReadonlySet<string> = new Set(['WAYMARK_REWRITTEN'])

it('the page of settings names every variable that is read anywhere', () => {
  const read = sources.flatMap((text) => [
    ...[...text.matchAll(/\b(?:WAYMARK|MEDULLA|TASKY_MCP|OAUTH|OTEL)_[A-Z_]*[A-Z]\b/g)].map(
      ([name]) => name,
    ),
    ...[...text.matchAll(/\benv\['([A-Z_]+)'\]/g)].map(([, name = '']) => name),
  ])
  const names = [...new Set(read)].filter((name) => !NO_SETTING.has(name) && !SYSTEM.has(name))
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

/** What every program reads of its system, and what sudo and Git say of their caller. */
const SYSTEM: ReadonlySet<string> = new Set(
  'PATH PATHEXT HOME USERPROFILE APPDATA TERM XDG_CONFIG_HOME SUDO_UID GIT_TEST_ASSUME_DIFFERENT_OWNER GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM'.split(
    ' ',
  ),
)

it('the page of settings names every key that annotations know, and their defaults', () => {
  const source = read('packages/waymark/src/git/annotation-settings.ts')
  const keys = [...source.matchAll(/(?:text|values\.get)\('([\w.]+)'\)(?:, ([\d.]+))?/g)]
  expect(keys).toHaveLength(8)
  for (const [, key = '', start] of keys) {
    const row = page.split('\n').find((line) => line.toLowerCase().startsWith(`| \`${key}\` |`))
    expect(row, key).toContain(start === undefined ? '|' : `| ${start} |`)
  }
})
