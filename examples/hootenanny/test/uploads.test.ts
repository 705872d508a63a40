import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeMidi } from '../src/music/midi-writer.ts'
import { parseKey } from '../src/music/key.ts'
import { base64, fetchContent, filesIn, startStudio } from './support.ts'

const NOTE = { start: 0, length: 480, pitch: 60, velocity: 90 }
const TRACK = { name: 'Tune', channel: 0, program: 0, notes: [NOTE] }
const TUNE = writeMidi({ tempo: 120, key: parseKey('C')!, bars: 1, tracks: [TRACK] })
const BROKEN = TUNE.subarray(0, TUNE.length - 6)

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

it('a content is stored once, whichever way it comes, and fetched under its hash [uploads-content-stored]', async () => {
  await using studio = await startStudio()
  const hash = sha256(TUNE)
  const stored = await studio.call('cas_store', {
    content_base64: base64(TUNE),
    mime_type: 'audio/midi',
    expected_hash: hash,
  })
  expect(stored).toEqual({ hash, size_bytes: TUNE.length, mime_type: 'audio/midi' })
  const path = join(studio.folder, 'inbox', 'tune.mid')
  await writeFile(path, TUNE)
  expect(await studio.call('upload_file', { file_path: path, mime_type: 'audio/midi' })).toEqual(
    stored,
  )
  const post = await fetch(`${studio.url}/cas?sha256=${hash}`, {
    method: 'POST',
    body: TUNE,
    headers: { 'content-type': 'audio/midi' },
  })
  expect([post.status, await post.text()]).toEqual([200, hash])
  expect(await filesIn(studio.folder)).toHaveLength(1)
  expect(await fetchContent(studio.url, hash)).toEqual(TUNE)
  expect(await studio.call('cas_inspect', { hash })).toEqual({
    hash,
    mime_type: 'audio/midi',
    size: TUNE.length,
    uri: `cas://${hash}`,
    url: `${studio.url}/cas/${hash}`,
  })
  const wav = await studio.call('midi_to_wav', { input_hash: hash, sample_rate: 8000 })
  expect(wav).toMatchObject({ duration_secs: 3, sample_rate: 8000, size_bytes: 44 + 3 * 8000 * 4 })
  const response = await fetch(`${studio.url}/cas/${wav['hash']}`)
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

it('corrupted, disguised, mismatched and oversized contents are refused, and nothing is left behind [uploads-corrupted-disguised]', async () => {
  await using studio = await startStudio({ contentLimit: 1000 })
  const store = (bytes: Uint8Array, mime_type: string, more: object = {}): Promise<string> =>
    studio.refusal('cas_store', { content_base64: base64(bytes), mime_type, ...more })
  expect(await store(BROKEN, 'audio/midi')).toContain('cut short')
  expect(await store(Buffer.from('not music'), 'audio/midi')).toContain('no MIDI file')
  expect(await store(TUNE, 'image/png')).toContain('is audio/midi, not image/png')
  expect(await store(Buffer.from('not sound'), 'audio/wav')).toContain('not audio/wav')
  expect(await store(TUNE, 'audio/midi', { expected_hash: 'a'.repeat(64) })).toContain(
    'has the hash',
  )
  expect(await store(new Uint8Array(1001), 'application/x-patch')).toContain(
    'larger than the limit of 1000 bytes',
  )
  expect(
    await studio.refusal('cas_store', { content_base64: '!!', mime_type: 'text/plain' }),
  ).toContain('content_base64')
  expect(await store(TUNE, 'audio/midi; x="\r\n"')).toContain('mime_type')

  const post = async (body: Uint8Array, type: string, query = ''): Promise<number> =>
    (
      await fetch(`${studio.url}/cas${query}`, {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      })
    ).status
  expect(await post(BROKEN, 'audio/midi')).toBe(422)
  expect(await post(TUNE, 'image/png')).toBe(422)
  expect(await post(TUNE, 'audio/midi', `?sha256=${'a'.repeat(64)}`)).toBe(422)
  expect(await post(new Uint8Array(1001), 'application/x-patch')).toBe(413)
  expect(await filesIn(studio.folder)).toEqual([])
})

it('files outside the folder for uploads are refused, however the way to them is spelled [uploads-files-outside]', async () => {
  await using studio = await startStudio()
  const inbox = join(studio.folder, 'inbox')
  const secret = join(studio.folder, 'secret.txt')
  await writeFile(secret, 'secret')
  // Links to files need a privilege on Windows; the path is refused there as one that leads nowhere.
  if (process.platform !== 'win32') await symlink(secret, join(inbox, 'link.txt'))
  await symlink(studio.folder, join(inbox, 'way-out'), 'junction')
  await mkdir(join(inbox, 'folder'))
  const refusal = (file_path: string): Promise<string> =>
    studio.refusal('upload_file', { file_path, mime_type: 'text/plain' })
  for (const path of [
    secret,
    `${inbox}/../secret.txt`,
    join(inbox, 'link.txt'),
    join(inbox, 'way-out', 'secret.txt'),
    inbox,
    '/etc/passwd',
    join(inbox, 'nothing'),
  ])
    expect(await refusal(path)).toContain('must be a file in')
  expect(await refusal(join(inbox, 'folder'))).toContain('not a folder')
  expect(await refusal('inbox/tune.mid')).toContain('must be absolute')
  for (const path of [
    '/cas/..%2f..%2fstudio.db',
    '/cas/%2e%2e/studio.db',
    `/cas/${'A'.repeat(64)}`,
  ])
    expect([400, 404]).toContain((await fetch(`${studio.url}${path}`)).status)
  expect(await filesIn(studio.folder)).toEqual([])
})

it('a content that was damaged on disk is not served [uploads-content-damaged]', async () => {
  await using studio = await startStudio()
  const { hash = '' } = await studio.call('cas_store', {
    content_base64: base64(TUNE),
    mime_type: 'audio/midi',
  })
  const folder = join(studio.folder, 'cas')
  const [entry] = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
    (found) => found.isFile(),
  )
  const path = join(entry?.parentPath ?? '', entry?.name ?? '')
  await chmod(path, 0o600)
  await writeFile(path, TUNE.with(20, 99))
  expect(await studio.refusal('midi_to_wav', { input_hash: hash })).toContain('damaged')
  await expect(studio.client.readResource({ uri: `cas://${hash}` })).rejects.toThrow('damaged')
  expect((await fetch(`${studio.url}/cas/${hash}`)).status).toBe(500)
})
