import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))
const VAGUE = /\b(?:whoever|whatever|somebody|nobody|anybody|everybody|the other end)\b/i

it('comments, errors and docs name their subjects', () => {
  const sources = readdirSync(join(PACKAGE, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('src', path))
  expect(sources.length).toBeGreaterThan(100)
  const vague = [...sources, 'README.md'].flatMap((path) =>
    readFileSync(join(PACKAGE, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => (VAGUE.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )
  expect(vague).toEqual([])
})
