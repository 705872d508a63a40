import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
}

it('the guide shows code that is in the example', () => {
  const guide = read('docs/building-on-baton.md')
  const blocks = [...guide.matchAll(/```ts\n\/\/ (\S+)\n([^`]*)```/g)]
  expect(blocks.length).toBeGreaterThan(6)
  expect(blocks).toHaveLength(guide.split('```ts').length - 1)
  for (const [, path = '', code = ''] of blocks) expect(read(path)).toContain(code)
  for (const [, path = ''] of guide.matchAll(/`(examples\/[\w./-]+)`/g))
    expect(() => readdirSync(join(ROOT, path, path.endsWith('.ts') ? '..' : '.'))).not.toThrow()
})

it('the application says nothing of the protocol, and baton nothing of music [guide-application-says]', () => {
  for (const source of sourcesIn('examples/hootenanny/src')) {
    expect(source).not.toMatch(
      /jsonrpc|mcp-session-id|text\/event-stream|tools\/call|@modelcontextprotocol/i,
    )
  }
  for (const source of sourcesIn('packages/baton/src')) {
    expect(source).not.toMatch(/hootenanny|orpheus|midi|audio_graph|@waymark\/cas/i)
  }
})
