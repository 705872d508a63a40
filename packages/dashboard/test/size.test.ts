import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../waymark/dist/ui/', import.meta.url)
const KB = 1024

interface Manifest {
  readonly files: Readonly<Record<string, { readonly bytes: number }>>
}

function sizes(): ReadonlyMap<string, number> {
  const { files } = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as Manifest
  return new Map(
    Object.keys(files).map((name) => [name, gzipSync(readFileSync(new URL(name, FOLDER))).length]),
  )
}

/** Scripts that the first view needs: the entry, what it imports statically, and the two first views with theirs. */
function firstLoad(): readonly string[] {
  const names = [...sizes().keys()].filter((name) => name.endsWith('.js'))
  const html = readFileSync(new URL('index.html', FOLDER), 'utf8')
  const wanted = names.filter((name) => html.includes(name) || /\/(?:now|board)-view-/.test(name))
  for (const name of wanted) {
    const source = readFileSync(new URL(name, FOLDER), 'utf8')
    for (const [, file = ''] of source.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) {
      const path = `assets/${file}`
      if (!wanted.includes(path)) wanted.push(path)
    }
  }
  return wanted
}

it('the page stays within its budgets when compressed [page-size]', () => {
  const all = sizes()
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (all.get(name) ?? 0), 0)
  const largest = [...all].toSorted(([, one], [, other]) => other - one).slice(0, 10)
  const scripts = sum(firstLoad())
  const styles = sum([...all.keys()].filter((name) => name.endsWith('.css')))
  expect(scripts, `the largest files: ${JSON.stringify(largest)}`).toBeLessThan(40 * KB)
  expect(styles).toBeLessThan(8 * KB)
  expect(sum(all.keys()), `the largest files: ${JSON.stringify(largest)}`).toBeLessThan(250 * KB)
})
