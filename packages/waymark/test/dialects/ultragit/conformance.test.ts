import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTestRepository } from '../../git/repository.ts'
import { CLIENT } from '../../operations/code/code-setup.ts'
import { addNote, annotated, CONNECT, FILE } from './annotated-repository.ts'
import { startUltragit } from './ultragit-server.ts'

describe('protocol conformance', () => {
  it('JSON-RPC error codes: -32700, -32601, -32602 [conformance-json-rpc]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    server.send('{"jsonrpc": "2.0", "id": 1, oops}\n')
    expect(await server.next()).toMatchObject({ error: { code: -32700 } })
    expect(await server.request('no/such/method')).toMatchObject({ error: { code: -32601 } })
    expect(await server.request('tools/call', { arguments: {} })).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('message ordering: pipelined requests are answered each with its id [conformance-message-ordering]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        server.call(at % 2 === 0 ? 'ultragit_read' : 'ultragit_deps', {
          path: at % 3 === 0 ? FILE : 'app.ts',
        }),
      ),
    )
    for (const [at, { result }] of answers.entries()) {
      expect(result?.content?.[0]?.text).toContain(
        at % 2 === 0 ? 'ultragit-read/v1' : 'ultragit-deps/v1',
      )
      expect(result?.content?.[0]?.text).toContain(
        at % 3 === 0 ? `"file":"${FILE}"` : '"file":"app.ts"',
      )
    }
  })

  it('notification handling: no answer, no crash [conformance-notification-handling]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    const before = server.lines.length
    server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    server.send('{"jsonrpc":"2.0","method":"notifications/never/heard/of"}\n')
    await server.request('ping')
    expect(server.lines.length).toBe(before + 1)
  })

  it('large responses: a file with very many annotations is valid JSON [conformance-large-responses]', async () => {
    await using test = createTestRepository()
    const commit = test.commit('one', { [FILE]: CLIENT })
    addNote(
      test,
      commit,
      Array.from({ length: 800 }, (_, at) => ({
        ...CONNECT,
        intent: `Reason ${at} ${'x'.repeat(500)}`,
        semantic_dependencies: [
          { file: FILE, anchor: 'parse', nature: `nature ${at} ${'y'.repeat(300)}` },
        ],
      })),
    )
    await using server = await startUltragit(test.directory)
    const read = (await server.ask('ultragit_history', { path: FILE, limit: 200 })) as {
      timeline: unknown[]
    }
    expect(read.timeline).toHaveLength(200)
    expect(JSON.stringify(read).length).toBeGreaterThan(100_000)
  })

  it('binary and non-UTF-8 bytes on stdin: it recovers and goes on [conformance-binary-non]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    server.send(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28, 0x0a]))
    expect(await server.next()).toMatchObject({ error: { code: -32700 } })
    expect(await server.ask('ultragit_read', { path: FILE })).toMatchObject({
      $schema: 'ultragit-read/v1',
    })
  })
})

describe('edge cases', () => {
  it('a folder without git: the server runs, and every call says what is wrong [conformance-folder-git]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-nogit-'))
    await using server = await startUltragit(folder)
    const { result } = await server.call('ultragit_read', { path: 'a.ts' })
    expect(result?.isError).toBe(true)
    expect(result?.content?.[0]?.text.length).toBeGreaterThan(10)
    expect(await server.request('ping')).toMatchObject({ result: {} })
    rmSync(folder, { recursive: true })
  })

  it('a repository without annotations: empty results, not errors [conformance-repository-annotations]', async () => {
    await using test = createTestRepository()
    test.commit('one', { [FILE]: CLIENT })
    await using server = await startUltragit(test.directory)
    expect(await server.ask('ultragit_read', { path: FILE })).toMatchObject({
      regions: [],
      stats: { annotations_found: 0 },
    })
    expect(await server.ask('ultragit_deps', { path: FILE })).toMatchObject({ dependents: [] })
    expect(await server.ask('ultragit_history', { path: FILE })).toMatchObject({ timeline: [] })
    expect(await server.ask('ultragit_summary', { path: FILE })).toMatchObject({ units: [] })
  })

  it('a repository without a commit is no reason to fail either', async () => {
    await using test = createTestRepository()
    test.write({ [FILE]: CLIENT })
    await using server = await startUltragit(test.directory)
    expect(await server.ask('ultragit_read', { path: FILE })).toMatchObject({ regions: [] })
  })

  it('an anchor that does not resolve: file-level annotations with a note [conformance-anchor-resolve]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    expect(await server.ask('ultragit_read', { path: FILE, anchor: 'zzzzzz' })).toMatchObject({
      notes: [`Anchor 'zzzzzz' not found in ${FILE}. Returning file-level annotations.`],
      stats: { regions_returned: 3 },
    })
  })

  it('extra unknown arguments are ignored; an empty path is an error [conformance-extra-unknown]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    expect(
      await server.ask('ultragit_read', { path: FILE, colour: 'red', depth: 'deep' }),
    ).toMatchObject({
      query: { depth: 1 },
    })
    expect(await server.call('ultragit_read', { path: '' })).toMatchObject({
      result: { isError: true },
    })
  })

  it('a damaged repository: the tool says what git says, and the server lives [conformance-damaged-repository]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    rmSync(join(test.directory, '.git', 'objects'), { recursive: true })
    const { result } = await server.call('ultragit_read', { path: FILE })
    expect(result?.isError).toBe(true)
    expect(await server.request('ping')).toMatchObject({ result: {} })
  })

  it('rapid sequential calls: no state leaks from one to the next [conformance-rapid-sequential]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    const first = await server.ask('ultragit_read', { path: FILE, anchor: 'parse' })
    for (let round = 0; round < 15; round += 1) {
      await server.call('ultragit_read', { path: 'nowhere' })
      await server.ask('ultragit_read', { path: FILE, anchor: 'connect', max_tokens: 100 })
      expect(await server.ask('ultragit_read', { path: FILE, anchor: 'parse' })).toEqual(first)
    }
  })

  it('SIGKILL leaves the repository clean [conformance-sigkill-leaves]', async () => {
    await using test = annotated()
    const packs = join(test.directory, '.git', 'objects', 'pack')
    const [commit] = test.commits
    const summaries = () => {
      const text = test.git('notes', '--ref', 'ultragit', 'show', commit)
      // Pretty-printed by another tool, or a record in each line.
      const records = text.startsWith('{\n') ? [text] : text.trim().split('\n')
      return records.map((record) => (JSON.parse(record) as { summary: string }).summary)
    }
    const [original] = summaries()
    // Git's own lock of the ref: what is written waits before the ref moves.
    const lock = join(test.directory, '.git', 'refs', 'notes', 'ultragit.lock')
    for (let round = 0; round < 3; round += 1) {
      const server = await startUltragit(test.directory, ['--write'])
      const known = new Set(readdirSync(packs))
      writeFileSync(lock, '', { flag: 'wx' })
      let isAnswered = false
      void server
        .call('ultragit_annotate', { summary: 'Killed while this was being written', commit })
        .then(() => (isAnswered = true))
      // A new pack is guarded by such a file from before it is there until the notes ref leads to it.
      while (!readdirSync(packs).some((name) => name.endsWith('.keep') && !known.has(name))) {
        await sleep(2)
      }
      expect(isAnswered).toBe(false)
      // Killed before the ref moves, and while it does.
      if (round > 0) {
        rmSync(lock)
        await sleep(round * 4)
      }
      await server[Symbol.asyncDispose]()
      rmSync(lock, { force: true })
      expect(test.fsck()).toBe('')
      expect(test.git('status', '--porcelain')).toBe('')
      expect(summaries()[0]).toBe(original)
    }
    await using server = await startUltragit(test.directory, ['--write'])
    await server.ask('ultragit_annotate', { summary: 'Written after the kills', commit })
    expect(summaries()).toContain(original)
    expect(summaries()).toContain('Written after the kills')
  })
})
