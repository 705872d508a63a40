import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { addArtifact, listArtifacts, showArtifact } from '../../../src/artifact/operations.ts'
import { linkArtifact, removeArtifact, tagArtifact } from '../../../src/artifact/changes.ts'
import { getArtifact, readArtifact } from '../../../src/artifact/content/content.ts'
import { artifactLineage, artifactStats } from '../../../src/artifact/lineage.ts'
import { createEntity, deleteEntity } from '../../../src/entity/operations.ts'
import { searchByText } from '../../../src/search/operations.ts'
import { checkStore } from '../../../src/integrity/operations.ts'
import { pathToOutside, setup } from '../../setup.ts'
import { contentFiles } from './files.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const PNG = Buffer.from('iVBORw0KGgo=', 'base64')

describe('an artifact', () => {
  it('is a content with a name, a creator, tags and links', async () => {
    await using project = await setup()
    const { context } = project
    const task = await execute(context, createEntity, { type: 'task', title: 'Build it' })
    writeFileSync(join(project.directory, 'build.log'), 'all good\n')
    const added = await execute(context, addArtifact, {
      path: 'build.log',
      tags: ['ci', 'build'],
      links: ['1', 'documents:1'],
    })
    expect(added).toMatchObject({
      hash: sha256('all good\n'),
      uri: `cas://${sha256('all good\n')}`,
      size: 9,
      mime: 'text/plain',
      name: 'build.log',
      creator: 'tester',
      tags: ['build', 'ci'],
      links: [
        { type: 'documents', entity: { id: task.id } },
        { type: 'references', entity: { id: task.id } },
      ],
    })
    expect(await execute(context, showArtifact, { id: added.id.slice(0, 12) })).toEqual(added)
    expect(await execute(context, showArtifact, { id: added.hash })).toEqual(added)
    const { links: _, ...listed } = added
    for (const filter of [{}, { tag: 'ci' }, { creator: 'tester' }, { link: '1' }]) {
      const page = await execute(context, listArtifacts, filter)
      expect(page).toMatchObject({ artifacts: [listed], total: 1 })
    }
    for (const filter of [{ tag: 'other' }, { creator: 'ada' }, { variation_set: 'x' }]) {
      expect(await execute(context, listArtifacts, filter)).toMatchObject({ total: 0 })
    }
  })

  it('says nothing of an entity that was deleted', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createEntity, { type: 'note', title: 'N' })
    const { id } = await execute(context, addArtifact, { text: 'x', links: ['1'] })
    await execute(context, deleteEntity, { id: '1' })
    expect(await execute(context, showArtifact, { id })).toMatchObject({ links: [] })
  })

  it('shares its bytes with others of the same content', async () => {
    await using project = await setup()
    const first = await execute(project.context, addArtifact, { text: 'same', name: 'a' })
    const second = await execute(project.as('ada'), addArtifact, { text: 'same', name: 'b' })
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ hash: first.hash, creator: 'ada' })
    expect(contentFiles(project)).toHaveLength(1)
    expect(await execute(project.context, artifactStats, {})).toMatchObject({
      total: 2,
      contents: 1,
      bytes: 4,
      by_creator: { ada: 1, tester: 1 },
    })
  })

  it('can be tagged and linked later', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createEntity, { type: 'note', title: 'N' })
    const { id } = await execute(context, addArtifact, { text: 'x', tags: ['a', 'b'] })
    const tagged = await execute(context, tagArtifact, { id, add: ['c', 'b'], remove: ['a'] })
    expect(tagged.tags).toEqual(['b', 'c'])
    expect(await execute(context, linkArtifact, { id, to: '1' })).toMatchObject({
      changed: true,
      links: [{ type: 'references', entity: { number: 1 } }],
    })
    expect(await execute(context, linkArtifact, { id, to: '1' })).toMatchObject({ changed: false })
    expect(await execute(context, linkArtifact, { id, to: '1', remove: true })).toMatchObject({
      changed: true,
      links: [],
    })
  })

  it('knows what it was made from, even after that was removed', async () => {
    await using project = await setup()
    const { context } = project
    const first = await execute(context, addArtifact, { text: 'one' })
    const second = await execute(context, addArtifact, { text: 'two', parent: first.id })
    const takes = []
    for (const text of ['a', 'b']) {
      const take = { text, parent: second.id, variation_set: 'take' }
      takes.push(await execute(context, addArtifact, take))
    }
    expect(takes.map(({ variation_index }) => variation_index)).toEqual([0, 1])
    await execute(context, removeArtifact, { id: first.id })
    const lineage = await execute(context, artifactLineage, { id: takes[0]?.id ?? '' })
    expect(lineage).toMatchObject({
      depth: 2,
      chain: [{ id: first.id, removed: true }, { id: second.id }, { id: takes[0]?.id }],
      children: [],
      variations: [{ id: takes[1]?.id }],
    })
    const { children } = await execute(context, artifactLineage, { id: second.id })
    expect(children.map(({ id }) => id)).toEqual([takes[1]?.id, takes[0]?.id])
  })

  it('is found by its name and tags until it is removed', async () => {
    await using project = await setup()
    const { context } = project
    const added = { text: 'x', name: 'coverage-report.html', tags: ['nightly'] }
    const { id } = await execute(context, addArtifact, added)
    for (const query of ['coverage', 'nightly']) {
      const found = await execute(context, searchByText, { query, kinds: ['artifact'] })
      expect(found.results).toMatchObject([{ kind: 'artifact', id, title: added.name }])
    }
    await execute(context, removeArtifact, { id })
    expect((await execute(context, searchByText, { query: 'coverage' })).results).toEqual([])
    await expect(execute(context, showArtifact, { id })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('is stored once for a call that is repeated with its key', async () => {
    await using project = await setup()
    const context = project.as('tester', { idempotencyKey: 'k1' })
    const first = await execute(context, addArtifact, { text: 'once' })
    expect(await execute(context, addArtifact, { text: 'once' })).toEqual(first)
    const other = project.as('tester', { idempotencyKey: 'k2', body: { bytes: Buffer.from('1') } })
    await execute(other, addArtifact, {})
    const changed = { ...other, body: { bytes: Buffer.from('2') } }
    await expect(execute(changed, addArtifact, {})).rejects.toMatchObject({ code: 'conflict' })
    expect(await execute(context, listArtifacts, {})).toMatchObject({ total: 2 })
    expect(contentFiles(project)).toHaveLength(2)
  })
})

describe('a content that is refused', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['too large', { text: 'x'.repeat(101) }, 'invalid_input'],
    ['not what it should be', { text: 'x', sha256: sha256('y') }, 'invalid_input'],
    ['named by half a hash', { text: 'x', sha256: 'abcd' }, 'invalid_input'],
    ['damaged base64', { base64: 'AAA*' }, 'invalid_input'],
    ['two things at once', { text: 'x', base64: 'AAAA' }, 'invalid_input'],
    ['nothing', {}, 'invalid_input'],
    ['made from nothing', { text: 'x', parent: 'abcdef' }, 'not_found'],
    ['linked to nothing', { text: 'x', links: ['99'] }, 'not_found'],
    ['a file that is not there', { path: 'none.log' }, 'invalid_input'],
    ['a folder', { path: 'folder' }, 'invalid_input'],
    ['outside by a path', { path: pathToOutside('/etc/hostname') }, 'forbidden'],
    ['outside by an absolute path', { path: '/etc/hostname' }, 'forbidden'],
    ['outside by a link', { path: 'link' }, 'forbidden'],
    ['a file of Git', { path: '.git/config' }, 'forbidden'],
    ['standard input of somebody else', { path: '-' }, 'invalid_input'],
    ['a secret', { text: `token ghp_${'a1B2c3D4e5F6'.repeat(3)}` }, 'invalid_input'],
  ]

  it.each(cases)('because it is %s leaves nothing behind', async (_, input, code) => {
    await using project = await setup()
    const context = project.as('tester', { maxArtifactBytes: 100 })
    mkdirSync(join(project.directory, 'folder'))
    symlinkSync('/etc/hostname', join(project.directory, 'link'))
    await expect(execute(context, addArtifact, input)).rejects.toMatchObject({ code })
    expect(contentFiles(project)).toEqual([])
    expect(await context.store.events.latest()).toBe(0)
    expect((await context.store.artifacts.totals()).artifacts).toBe(0)
  })

  it('because fewer bytes came than were announced leaves nothing behind', async () => {
    await using project = await setup()
    const context = project.as('tester', { body: { bytes: Buffer.from('half'), size: 8 } })
    await expect(execute(context, addArtifact, {})).rejects.toMatchObject({
      code: 'invalid_input',
      details: { reason: 'size_mismatch' },
    })
    expect(contentFiles(project)).toEqual([])
  })

  it('because its sender went away leaves nothing behind', async () => {
    await using project = await setup()
    const sender = new AbortController()
    async function* stalled() {
      yield Buffer.from('half')
      sender.abort()
      await new Promise(() => {})
    }
    const context = project.as('tester', { body: { bytes: stalled() }, signal: sender.signal })
    await expect(execute(context, addArtifact, {})).rejects.toMatchObject({ code: 'cancelled' })
    expect(contentFiles(project)).toEqual([])
  })
})

describe('the content of an artifact', () => {
  it('is read as text in parts that never cut a character', async () => {
    await using project = await setup()
    const { context } = project
    const text = 'aé€😀'.repeat(50)
    const { id, size } = await execute(context, addArtifact, { text })
    let offset: number | undefined = 0
    let read = ''
    while (offset !== undefined) {
      const part: { text?: string | undefined; next_offset?: number | undefined } = await execute(
        context,
        readArtifact,
        { id, offset, max_bytes: 17 },
      )
      read += part.text ?? ''
      offset = part.next_offset
    }
    expect(read).toBe(text)
    const beyond = await execute(context, readArtifact, { id, offset: size + 5 })
    expect(beyond).toMatchObject({ text: '', size })
  })

  it('is base64 when it is no text', async () => {
    await using project = await setup()
    const { context } = project
    const added = await execute(context, addArtifact, { base64: PNG.toString('base64') })
    expect(added.mime).toBe('image/png')
    expect(await execute(context, readArtifact, { id: added.id })).toMatchObject({
      mime: 'image/png',
      base64: PNG.toString('base64'),
    })
  })

  it('can be written to a file of the project, and nowhere else', async () => {
    await using project = await setup()
    const { context } = project
    const { id } = await execute(context, addArtifact, { text: 'content' })
    const write = (output: string, force = false) =>
      execute(context, getArtifact, { id, output, force })
    await write('out.txt')
    expect(readFileSync(join(project.directory, 'out.txt'), 'utf8')).toBe('content')
    await expect(write('out.txt')).rejects.toMatchObject({ code: 'conflict' })
    await write('out.txt', true)
    symlinkSync('/tmp', join(project.directory, 'away'))
    for (const output of ['../out.txt', '/tmp/out.txt', 'away/out.txt', '.git/hooks/post-commit']) {
      await expect(write(output)).rejects.toMatchObject({ code: 'forbidden' })
    }
    for (const output of ['none/out.txt', '-']) {
      await expect(write(output)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  it('that was damaged or lost is told and never handed out', async () => {
    await using project = await setup()
    const { context } = project
    const damaged = await execute(context, addArtifact, { text: 'first' })
    const [file = ''] = contentFiles(project)
    chmodSync(file, 0o600)
    writeFileSync(file, 'FIRST')
    await execute(context, addArtifact, { text: 'kept' })
    const lost = await execute(context, addArtifact, { text: 'lost' })
    rmSync(contentFiles(project).find((path) => path.endsWith(lost.hash.slice(2))) ?? '')
    const read = { output: 'out.txt', id: damaged.id }
    await expect(execute(context, readArtifact, { id: damaged.id })).rejects.toMatchObject({
      code: 'storage_corrupt',
    })
    await expect(execute(context, getArtifact, read)).rejects.toMatchObject({
      code: 'storage_corrupt',
    })
    await expect(execute(context, readArtifact, { id: lost.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    const { ok, checks } = await execute(context, checkStore, {})
    expect(ok).toBe(false)
    expect(checks.find(({ name }) => name === 'artifacts')).toMatchObject({
      status: 'failed',
      message: 'of 3 contents 1 are missing and 1 are damaged',
      ids: [lost.hash, damaged.hash],
    })
    await execute(context, addArtifact, { text: 'first' })
    await execute(context, addArtifact, { text: 'lost' })
    expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
  })
})
