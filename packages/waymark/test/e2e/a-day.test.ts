import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { play } from './a-day/play.ts'

const GUIDE = new URL('../../../../docs/guides/supervising.md', import.meta.url)

/** A line without the parts that differ from run to run. */
function normalised(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\bA[0-9A-F]{8}\b/g, '<agent>')
    .replaceAll(/\b[0-9a-f]{7}(?:[0-9a-f]{5})?\b/g, '<id>')
    .replaceAll(/\b\d+ (?:s|min)\b/g, '<duration>')
    .replaceAll(/\bwaymark-test-\w+/g, 'shop')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

it('a planner, three agents and a person work for a day as the guide shows it', async () => {
  await using repository = createRepository()
  const transcript = new Set<string>()
  await play(repository.directory, (line) => transcript.add(normalised(line)))

  const [, day = ''] = /## A day\n[^]*?```text\n([^`]*)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
  const shown = day.split('\n').map(normalised).filter(Boolean)
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.filter((line) => !transcript.has(line))).toEqual([])
})
