import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readLooseObject, writeLooseObject } from '../../src/git/objects/loose-objects.ts'
import { toObject } from '../../src/git/objects/pack-stream.ts'
import { createTestRepository, type TestRepository } from './repository.ts'

function objectsOf({ repository }: TestRepository): string {
  return join(repository.layout().commonDir, 'objects')
}

test('git reads objects that were written without it, and the other way round', async () => {
  await using repository = createTestRepository()
  const blob = toObject('sha1', 'blob', 'one\0two\n')
  writeLooseObject(objectsOf(repository), blob)
  writeLooseObject(objectsOf(repository), blob)
  expect(await repository.repository.objects.read(blob.id)).toMatchObject({
    type: 'blob',
    content: blob.content,
  })
  const commit = repository.commit('first', { 'a.txt': 'text\n' })
  expect(readLooseObject(objectsOf(repository), 4096, commit)).toMatchObject({
    id: commit,
    type: 'commit',
  })
})

test('an object above the limit is not inflated, and one that is damaged or absent is left to git', async () => {
  await using repository = createTestRepository()
  const objects = objectsOf(repository)
  const zeros = toObject('sha1', 'blob', Buffer.alloc(50_000_000))
  writeLooseObject(objects, zeros)
  const before = process.memoryUsage().arrayBuffers
  expect(readLooseObject(objects, 1_000, zeros.id)).toBe('too_large')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
  const broken = 'a'.repeat(40)
  mkdirSync(join(objects, 'aa'), { recursive: true })
  for (const bytes of [
    Buffer.from('no zlib'),
    deflateSync('blob 9\0short'),
    deflateSync('?'),
    deflateSync('blob 5\0other'),
  ]) {
    writeFileSync(join(objects, 'aa', broken.slice(2)), bytes)
    expect(readLooseObject(objects, 1_000, broken)).toBeUndefined()
  }
  for (const id of ['b'.repeat(40), '../../config', 'HEAD']) {
    expect(readLooseObject(objects, 1_000, id)).toBeUndefined()
  }
})
