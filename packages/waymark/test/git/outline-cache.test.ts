import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LONGEST_PARSE_MS } from '../../src/annotation/outline/limits.ts'
import { DiskCache } from '../../src/git/disk-cache.ts'
import { type Outline, Outlines, type SourceText } from '../../src/annotation/outline/outlines.ts'

it('a file of another language has lines only', async () => {
  const outlines = new Outlines(new DiskCache(join(tmpdir(), 'waymark-unused')))
  const source = { path: 'a.toml', blob: 'b'.repeat(40), text: 'x = 1\n' }
  expect(await outlines.of(source)).toMatchObject({ supported: false, units: [] })
})

it('a file that takes longer than the limit has no outline', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-cache-'))
  onTestFinished(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true })
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await using cache = new DiskCache(folder)
  await using outlines = new Outlines(cache)
  const source = { path: 'a.ts', blob: 'a'.repeat(40), text: 'function f() {}\n' }
  expect(await outlines.of(source)).toMatchObject({ supported: true })
  // The thread is ready, so that it begins at once, and the time that passes is not that of a processor.
  const slow = { ...source, blob: 'b'.repeat(40), text: source.text.repeat(1_000) }
  const made = outlines.of(slow)
  vi.advanceTimersByTime(4 * LONGEST_PARSE_MS)
  expect(await made).toMatchObject({
    supported: false,
    reason: 'parsing it takes more than 5 seconds',
  })
})

describe('outlines in the cache', () => {
  it('are found by a second process without parsing, and a damaged file is made again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-cache-'))
    const source = { path: 'a.ts', blob: 'b'.repeat(40), text: 'export function f() {}\n' }
    const first = await makeOutline(folder, source)
    // The text is not looked at when the blob is known.
    const second = await makeOutline(folder, { ...source, text: 'other' })
    expect(second).toEqual(first)
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"key":')
    expect(await makeOutline(folder, source)).toEqual(first)
    rmSync(folder, { recursive: true })
  })

  it('that could not be made are not tried again for a day, by no process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-cache-'))
    const hostile = { path: 'a.cs', blob: 'b'.repeat(40), text: 'a<b<'.repeat(100_000) }
    const reason: unknown = expect.stringContaining('parsing it takes more than')
    const failed = { supported: false, reason }
    expect(await makeOutline(folder, hostile)).toMatchObject(failed)
    const harmless = { ...hostile, text: 'class A {}' }
    expect(await makeOutline(folder, harmless)).toMatchObject(failed)
    const [name = ''] = readdirSync(folder)
    const cached = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const { retryAt } = cached.value
    expect(Math.abs(retryAt - Date.now() - 24 * 60 * 60 * 1000)).toBeLessThan(60_000)
    cached.value.retryAt = Date.now()
    writeFileSync(join(folder, name), JSON.stringify(cached))
    expect(await makeOutline(folder, harmless)).toMatchObject({ units: [{ name: 'A' }] })
    rmSync(folder, { recursive: true })
  })
})

/** As a process of its own would: with nothing remembered but what is in the folder. */
async function makeOutline(folder: string, source: SourceText): Promise<Outline> {
  await using cache = new DiskCache(folder)
  await using outlines = new Outlines(cache)
  return await outlines.of(source)
}
