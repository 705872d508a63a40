import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, pathOf, readAll, setup, sha256 } from './setup.ts'

const HELLO = bytesOf('hello')
const HASH = sha256('hello')
/** Several pieces when it is read. */
const LARGE = Buffer.alloc(700_000, 'waymark ')

describe('a content that is stored', () => {
  it('is found by its SHA-256', async () => {
    const { store, files } = await setup()
    const stored = { hash: HASH, size: 5, mime: 'text/plain' }
    expect(await store.put(HELLO)).toEqual({ ...stored, isNew: true })
    expect(await store.put(HELLO)).toEqual({ ...stored, isNew: false })
    expect(await store.stat(HASH)).toEqual(stored)
    expect(await store.has(HASH)).toBe(true)
    expect(await store.verify(HASH)).toBe('intact')
    expect(Buffer.from(await store.read(HASH)).toString()).toBe('hello')
    expect(await files()).toEqual([`objects/${HASH.slice(0, 2)}/${HASH.slice(2)}`])
  })

  it.each([
    ['a stream of Node', () => Readable.from([HELLO.subarray(0, 2), HELLO.subarray(2)])],
    ['a stream of the web', () => new Blob([HELLO]).stream()],
    ['nothing at all', () => new Uint8Array()],
  ])('may come as %s', async (_, source) => {
    const { store } = await setup()
    const { hash, size } = await store.put(source())
    expect(hash).toBe(sha256(size === 0 ? '' : 'hello'))
    expect((await readAll((await store.get(hash)).bytes)).length).toBe(size)
  })

  it('is for its owner alone and cannot be written to', async () => {
    if (process.platform === 'win32') return
    const { store, folder } = await setup()
    await store.put(HELLO)
    expect((await stat(pathOf(folder, HASH))).mode & 0o777).toBe(0o400)
    expect((await stat(dirname(pathOf(folder, HASH)))).mode & 0o777).toBe(0o700)
  })

  it('can be read in part', async () => {
    const { store } = await setup()
    const { hash } = await store.put(LARGE)
    await fc.assert(
      fc.asyncProperty(fc.nat(LARGE.length), fc.nat(LARGE.length), async (one, other) => {
        const range = { start: Math.min(one, other), end: Math.max(one, other) }
        const { bytes } = await store.get(hash, range)
        expect((await readAll(bytes)).equals(LARGE.subarray(range.start, range.end))).toBe(true)
      }),
      { numRuns: 20, seed: 1 },
    )
    await expect(store.get(hash, { start: 1, end: LARGE.length + 1 })).rejects.toMatchObject({
      code: 'invalid_range',
    })
  })

  it('can be left half read', async () => {
    const { store } = await setup()
    const { hash } = await store.put(LARGE)
    const { bytes } = await store.get(hash)
    const reader = bytes.getReader()
    await reader.read()
    await reader.cancel()
    await (await store.get(hash)).bytes.cancel()
    expect(await store.delete(hash)).toBe(true)
  })

  it('is listed, and gone when it is deleted', async () => {
    const { store, folder } = await setup()
    expect(await listed(store)).toEqual([])
    await store.put(HELLO)
    await writeFile(join(folder, 'objects', 'README'), 'not ours')
    expect(await listed(store)).toEqual([HASH])
    expect(await store.delete(HASH)).toBe(true)
    expect(await store.delete(HASH)).toBe(false)
    expect(await store.stat(HASH)).toBeUndefined()
    expect(await store.verify(HASH)).toBe('missing')
    await expect(store.get(HASH)).rejects.toMatchObject({ code: 'missing' })
  })

  it('can still be read to its end while it is deleted [content-store-still-read]', async () => {
    if (process.platform === 'win32') return
    const { store } = await setup()
    const { hash } = await store.put(LARGE)
    const { bytes } = await store.get(hash)
    await store.delete(hash)
    expect((await readAll(bytes)).equals(LARGE)).toBe(true)
  })
})

describe('a content that is refused [content-store-refused]', () => {
  const outcomes = [
    ['too large', { limit: 4 }, 'too_large'],
    ['announced too large', { limit: 4, expectedSize: 5 }, 'too_large'],
    ['cut off', { expectedSize: 6 }, 'size_mismatch'],
    ['not what was announced', { expectedHash: sha256('other') }, 'hash_mismatch'],
    ['announced with half a hash', { expectedHash: HASH.slice(0, 32) }, 'invalid_hash'],
    ['announced with a path', { expectedHash: '../../etc/passwd' }, 'invalid_hash'],
  ] as const

  it.each(outcomes)('because it is %s leaves nothing behind', async (_, options, code) => {
    const { store, files } = await setup()
    const source = Readable.from([HELLO.subarray(0, 3), HELLO.subarray(3)])
    await expect(store.put(source, options)).rejects.toMatchObject({ name: 'ContentError', code })
    expect(await files()).toEqual([])
  })

  it('because its source broke leaves nothing behind', async () => {
    const { store, files } = await setup()
    async function* broken() {
      yield HELLO
      throw new Error('connection lost')
    }
    await expect(store.put(broken())).rejects.toThrow('connection lost')
    expect(await files()).toEqual([])
  })

  it('because it is not bytes leaves nothing behind', async () => {
    const { store, files } = await setup()
    // What a caller without types may send.
    const source = Readable.from(['text']) as AsyncIterable<Uint8Array>
    await expect(store.put(source)).rejects.toThrow('stream of bytes')
    expect(await files()).toEqual([])
  })

  it('because its sender gave up leaves nothing behind, even if the source never ends', async () => {
    const { store, files } = await setup()
    const sender = new AbortController()
    async function* stalled() {
      yield HELLO
      sender.abort()
      await new Promise(() => {})
    }
    await expect(store.put(stalled(), { signal: sender.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(await files()).toEqual([])
  })

  it('stops its source at once', async () => {
    const { store } = await setup({ limit: 1_000_000 })
    let given = 0
    async function* endless() {
      for (;;) {
        given += 1
        yield Buffer.alloc(100_000)
      }
    }
    await expect(store.put(endless())).rejects.toMatchObject({ code: 'too_large' })
    expect(given).toBe(11)
  })

  it('because the folder cannot be written is told so without its path', async () => {
    if (process.platform === 'win32' || process.getuid?.() === 0) return
    const { store, folder } = await setup()
    await mkdir(folder)
    await chmod(folder, 0o500)
    const refused = await store.put(HELLO).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'unavailable' })
    expect(String(refused)).not.toContain(folder)
  })
})

describe('a content that was damaged', () => {
  const damages = [
    ['a changed byte', (path: string) => overwrite(path, 'hellO')],
    ['a missing end', (path: string) => overwrite(path, 'hell')],
    ['an added end', (path: string) => overwrite(path, 'hello!')],
    ['nothing left', (path: string) => overwrite(path, '')],
  ] as const

  it.each(damages)('by %s is never handed out [content-store-never-handed]', async (_, damage) => {
    const { store, folder } = await setup()
    await store.put(HELLO)
    await damage(pathOf(folder, HASH))
    await expect(store.get(HASH)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(store.read(HASH)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(store.get(HASH, { start: 0, end: 0 })).rejects.toMatchObject({ code: 'corrupt' })
    expect(await store.verify(HASH)).toBe('corrupt')
  })

  it('is repaired by storing it again', async () => {
    const { store, folder, files } = await setup()
    await store.put(HELLO)
    await overwrite(pathOf(folder, HASH), 'hellO')
    expect(await store.put(HELLO)).toMatchObject({ isNew: true })
    expect(await store.verify(HASH)).toBe('intact')
    expect(await files()).toHaveLength(1)
  })

  it('while it is read does not end well', async () => {
    const { store, folder } = await setup()
    const { hash } = await store.put(LARGE)
    const { bytes } = await store.get(hash)
    await chmod(pathOf(folder, hash), 0o600)
    await truncate(pathOf(folder, hash), LARGE.length - 1)
    await expect(readAll(bytes)).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('by a link in its place is not followed', async () => {
    if (process.platform === 'win32') return
    const { store, folder } = await setup()
    const secret = join(dirname(folder), 'secret')
    await writeFile(secret, 'hello')
    await mkdir(dirname(pathOf(folder, HASH)), { recursive: true })
    await symlink(secret, pathOf(folder, HASH))
    await expect(store.read(HASH)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it.skipIf(process.platform === 'win32')('by a pipe in its place is not waited for', async () => {
    const { store, folder } = await setup()
    await mkdir(dirname(pathOf(folder, HASH)), { recursive: true })
    execFileSync('mkfifo', [pathOf(folder, HASH)])
    expect(await store.verify(HASH)).toBe('corrupt')
    await expect(store.read(HASH)).rejects.toMatchObject({ code: 'corrupt' })
    expect(await store.put(HELLO)).toMatchObject({ isNew: true })
    expect(await store.verify(HASH)).toBe('intact')
  })
})

describe.skipIf(process.platform === 'win32')('a folder of the store that is a link', () => {
  it.each(['objects', `objects/${HASH.slice(0, 2)}`, 'incoming'])(
    'is not followed, and nothing in the folder it leads to is listed, changed or removed: %s',
    async (name) => {
      const { store, folder } = await setup()
      const outside = join(dirname(folder), 'outside')
      const victims = [
        join(outside, HASH.slice(2)),
        join(outside, HASH.slice(0, 2), HASH.slice(2)),
        join(outside, 'old.part'),
      ]
      for (const victim of victims) {
        await mkdir(dirname(victim), { recursive: true })
        await writeFile(victim, 'hello')
        await utimes(victim, 1, 1)
      }
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await symlink(outside, join(folder, name))
      const listed: unknown[] = []
      const calls = [
        () => store.put(HELLO),
        () => store.read(HASH),
        () => store.delete(HASH),
        () => store.sweep({ olderThanMs: 0 }),
        async () => {
          for await (const entry of store.list()) listed.push(entry)
        },
      ]
      const answers = await Promise.allSettled(calls.map((call) => call()))
      for (const answer of answers.filter(({ status }) => status === 'rejected'))
        expect(answer).toMatchObject({
          reason: { code: expect.stringMatching(/unavailable|missing/) },
        })
      expect(answers[0]).toMatchObject({
        reason: { message: expect.stringMatching(`${name} .*is a symbolic link`) },
      })
      expect(listed).toEqual([])
      const names = await readdir(outside, { recursive: true })
      expect(names.toSorted()).toEqual(
        [
          'old.part',
          HASH.slice(0, 2),
          HASH.slice(2),
          join(HASH.slice(0, 2), HASH.slice(2)),
        ].toSorted(),
      )
      for (const victim of victims) expect((await stat(victim)).mtimeMs).toBe(1000)
    },
  )
})

const NO_HASHES = [
  '',
  HASH.slice(1),
  `${HASH}0`,
  HASH.toUpperCase(),
  `${HASH}\n`,
  '../../../etc/passwd',
  `..${HASH.slice(2)}`,
  `${HASH.slice(0, 2)}/${HASH.slice(3)}`,
  `${HASH.slice(0, 63)}\0`,
]

it.each(NO_HASHES)('%j is no hash', async (text) => {
  const { store, files } = await setup()
  const calls = [store.get, store.read, store.stat, store.has, store.verify, store.delete]
  for (const call of calls) {
    // Some throw at once, some later: a caller that awaits sees no difference.
    await expect((async () => call(text))()).rejects.toMatchObject({ code: 'invalid_hash' })
  }
  expect(await files()).toEqual([])
})

describe('an upload that waits', () => {
  it('is not in the store before it is kept', async () => {
    const { store, files } = await setup()
    await using upload = await store.stage(HELLO)
    expect(upload).toMatchObject({ hash: HASH, size: 5, mime: 'text/plain' })
    expect(await store.has(HASH)).toBe(false)
    expect(await upload.keep()).toMatchObject({ isNew: true })
    expect(await store.verify(HASH)).toBe('intact')
    expect(await files()).toHaveLength(1)
  })

  it('is gone when it is dropped', async () => {
    const { store, files } = await setup()
    {
      await using _upload = await store.stage(HELLO)
      expect(await files()).toHaveLength(1)
    }
    expect(await files()).toEqual([])
  })

  it('that the disk does not let go of takes nothing with it', async () => {
    const { store, folder, files } = await setup()
    {
      await using upload = await store.stage(HELLO)
      const [name = ''] = await files()
      // Nobody can remove a folder as if it were a file.
      const stuck = join(folder, name)
      await upload.keep()
      await mkdir(join(stuck, 'inside'), { recursive: true })
    }
    expect(await store.verify(HASH)).toBe('intact')
  })

  it('is swept only when it has been quiet for long', async () => {
    const { store, folder, files } = await setup()
    await using _upload = await store.stage(HELLO)
    expect(await store.sweep()).toBe(0)
    const [name = ''] = await files()
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000)
    await utimes(join(folder, name), longAgo, longAgo)
    expect(await store.sweep()).toBe(1)
    expect(await files()).toEqual([])
  })
})

async function listed(store: Awaited<ReturnType<typeof setup>>['store']): Promise<string[]> {
  const hashes: string[] = []
  for await (const { hash } of store.list()) hashes.push(hash)
  return hashes
}

async function overwrite(path: string, text: string): Promise<void> {
  await chmod(path, 0o600)
  await writeFile(path, text)
}
