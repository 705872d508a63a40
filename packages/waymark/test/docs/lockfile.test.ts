import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

const lock = JSON.parse(
  readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Readonly<Record<string, Locked>> }

const PUBLISHED = ['packages/baton', 'packages/cas', 'packages/sqlite', 'packages/waymark']
const MOST_DIRECT = 10
const MOST_IN_ALL = 40
const LICENCES =
  /^\(?(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Unlicense|CC0-1\.0|MIT OR CC0-1\.0|MPL-2\.0 OR Apache-2\.0)\)?$/
/** Tools that are only run here, and of whose code nothing is passed on. */
const ONLY_RUN_HERE = /^node_modules\/(?:lightningcss|axe-core$|@modelcontextprotocol\/inspector$)/

const foreign = Object.entries(lock.packages).filter(
  ([place, { link }]) => place.includes('node_modules/') && link !== true,
)

it('every package is locked by its content and comes from wherever npm is told to look', () => {
  expect(foreign.length).toBeGreaterThan(100)
  const loose = foreign.filter(
    ([, { integrity = '', resolved }]) =>
      !integrity.startsWith('sha512-') || resolved !== undefined,
  )
  expect(loose.map(([place]) => place)).toEqual([])
})

it('what others wrote may be used as we use it', () => {
  const odd = foreign.filter(
    ([place, { license = '' }]) => !LICENCES.test(license) && !ONLY_RUN_HERE.test(place),
  )
  expect(odd.map(([place, { license }]) => `${place}: ${license ?? 'none'}`)).toEqual([])
})

it('who installs one of our packages gets few others with it', () => {
  for (const place of PUBLISHED) {
    const direct = Object.keys(lock.packages[place]?.dependencies ?? {})
    expect(direct.length).toBeLessThanOrEqual(MOST_DIRECT)
    expect(installedWith(place).size).toBeLessThanOrEqual(MOST_IN_ALL)
  }
})

/** Everything that a package needs, and what that needs. */
function installedWith(place: string, found = new Set<string>()): ReadonlySet<string> {
  for (const name of Object.keys(lock.packages[place]?.dependencies ?? {})) {
    const at = findFrom(place, name)
    if (found.has(at)) continue
    found.add(at)
    installedWith(at, found)
  }
  return found
}

/** Where Node would find a package: in the nearest folder upwards. */
function findFrom(place: string, name: string): string {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (lock.packages[candidate] !== undefined) return candidate
    if (folder === '') throw new Error(`${name}, which ${place} needs, is not locked`)
  }
}
