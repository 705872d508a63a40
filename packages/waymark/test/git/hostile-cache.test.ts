import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { readCode } from '../../src/annotation/read/read.ts'
import { openFor } from '../files/everywhere.ts'
import { CLIENT, setupCode } from '../operations/code/code-setup.ts'

const FILE = 'client.ts'
const FORGED = '--output=forged\nForged line'

/** Values of other types, and texts that are no ids. */
const WRONG: readonly unknown[] = [FORGED, -1, null, [FORGED], { length: FORGED }, true]

/** The places of all values in a value, as paths; of a list only those in the first item. */
function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined)
  for (const [key, each] of entries) yield* placesIn(each, [...path, key])
}

function replaced(value: unknown, [first = '', ...rest]: readonly string[], by: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>
  copy[first] = rest.length === 0 ? by : replaced(copy[first], rest, by)
  return copy
}

function isSameType(value: unknown, path: readonly string[], by: unknown): boolean {
  const found = path.reduce<unknown>((each, key) => (each as Record<string, unknown>)[key], value)
  const isId = typeof found === 'string' && /^[0-9a-f]{40}$/.test(found)
  if (isId || Array.isArray(found) || Array.isArray(by)) return false
  if (typeof found === 'number' && typeof by === 'number') return false
  return typeof found === typeof by && (found === null) === (by === null)
}

it('a cache that an archive brings is used where it makes sense, and read anew where it does not [hostile-cache]', async () => {
  await using test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  const anchor = { name: 'Client.connect' }
  await test.annotate({
    summary: 'The client dials',
    regions: [{ file: FILE, anchor, lines: { start: 6, end: 8 }, intent: 'Dial once' }],
  })
  test.commit('two', { [FILE]: CLIENT.replace('connect(', 'open(').replace('retries)', '3)') })
  const ask = async (): Promise<unknown> => {
    await using project = await openFor(test.directory)
    const { regions, notes } = await execute(project.context, readCode, { path: FILE })
    return { regions, notes }
  }
  const before = await ask()
  const folder = join(test.directory, '.git', 'waymark', 'cache')
  const kinds = new Set<string>()
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const text = readFileSync(path, 'utf8')
    const entry = JSON.parse(text) as { readonly key: string; readonly value: unknown }
    const [kind = ''] = entry.key.split(' ', 1)
    if (kinds.has(kind)) continue
    kinds.add(kind)
    for (const [at, place] of [...placesIn(entry.value)].entries()) {
      const by = WRONG.slice(at % WRONG.length).concat(WRONG)
      const wrong = by.find((each) => !isSameType(entry.value, place, each))
      const value = replaced(entry.value, place, wrong)
      writeFileSync(path, JSON.stringify({ ...entry, value }))
      expect(await ask(), `${entry.key}: ${place.join('.')} is ${JSON.stringify(wrong)}`).toEqual(
        before,
      )
    }
    writeFileSync(path, text)
  }
  expect([...kinds].toSorted()).toEqual(['history', 'outline', 'traces'])
})
