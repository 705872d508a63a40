import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRepository } from '../../src/git/repository.ts'
import { openSideRepository } from '../../src/git/side-repository.ts'
import { createPageSessions } from '../../src/surfaces/page/page-sessions.ts'
import { findServedPage, rememberServedPage } from '../../src/surfaces/page/served-page.ts'
import { thisProcess } from '../../src/support/process-identity.ts'
import { createFolder, createRepository } from './everywhere.ts'
import { createOutside, type Kind, plant } from './planted/plant.ts'

const LINKS = ['symlink to a file', 'symlink to a folder', 'dangling symlink', 'pipe'] as const

/** Entries that an archive can bring in a folder of the state folder, each replaced by each of these. */
function* replaced(
  entries: readonly string[],
): Generator<{ readonly name: string; readonly entry: string; readonly kind: Kind }> {
  for (const entry of entries) {
    for (const kind of LINKS) yield { name: `${entry.replaceAll('/', '-')}-${kind}`, entry, kind }
  }
}

function plantIn(folder: string, entry: string, kind: Kind, outside: string) {
  const path = join(folder, entry)
  mkdirSync(dirname(path), { recursive: true })
  const there = createOutside(outside)
  plant(path, kind, there)
  return { there, before: there.look() }
}

describe.skipIf(process.platform === 'win32')('links in the repository of claims', () => {
  test('are refused, whether or not it was finished, and nothing outside changes [live-folder-links]', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'main'), '--template=')
    await using main = openRepository(root, join(root, '.git', 'waymark'))
    const entries = ['config', 'HEAD', 'objects', 'objects/ab', 'refs', 'refs/live/tip', 'logs/x']
    for (const { name, entry, kind } of replaced(entries)) {
      for (const isFinished of [false, true]) {
        const live = join(folder.path, `${name} ${isFinished}`)
        if (isFinished) await openSideRepository(main, live)[Symbol.asyncDispose]()
        const { there, before } = plantIn(live, entry, kind, join(folder.path, `${name} outside`))
        expect(() => openSideRepository(main, live), name).toThrow(
          /is a (?:symbolic link|named pipe)/,
        )
        expect(there.look(), name).toBe(before)
      }
    }
  })
})

describe.skipIf(process.platform === 'win32')('links in the folder of the page', () => {
  test('are refused, and nothing outside changes [page-folder-links]', async () => {
    using folder = createFolder()
    for (const { name, entry, kind } of replaced(['server.json', 'code-x', 'session-x'])) {
      const state = join(folder.path, name)
      const planted = plantIn(state, join('ui', entry), kind, join(folder.path, `${name} outside`))
      const refused = /is a (?:symbolic link|named pipe)/
      expect(() => createPageSessions(state), name).toThrow(refused)
      await expect(findServedPage(state), name).rejects.toThrow(refused)
      const page = { url: 'http://127.0.0.1:1', port: 1 }
      await expect(rememberServedPage(state, page), name).rejects.toThrow(refused)
      expect(planted.there.look(), name).toBe(planted.before)
      expect(readdirSync(join(state, 'ui')), name).toEqual([entry])
    }
  })
})

describe('a server of the page that was written down', () => {
  test('on another machine is not contacted: an archive can name any address [page-server-elsewhere]', async () => {
    using folder = createFolder()
    let calls = 0
    await using server = createServer((_request, response) => {
      calls += 1
      response.end('{"ok":true}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const page = { url: `http://127.0.0.1:${port}`, port }
    await rememberServedPage(folder.path, page)
    expect(await findServedPage(folder.path)).toMatchObject(page)
    expect(calls).toBe(1)
    const [, ...rest] = thisProcess().split(' ')
    for (const space of ['elsewhere', `${hostname()}-2`, '']) {
      const other = { ...page, process: [space, ...rest].join(' ') }
      writeFileSync(join(folder.path, 'ui', 'server.json'), JSON.stringify(other))
      expect(await findServedPage(folder.path)).toBeUndefined()
    }
    expect(calls).toBe(1)
  })
})
