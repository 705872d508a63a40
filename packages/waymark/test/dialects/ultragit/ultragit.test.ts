import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialiseProject } from '../../../src/core/project/project.ts'
import { waymark } from '../../e2e/binary.ts'
import { command } from '../../surface/command.ts'
import { addNote, annotated, CONNECT, FILE } from './annotated-repository.ts'
import { startUltragit, type UltragitServer } from './ultragit-server.ts'

/** For tests that only read. */
let repository: ReturnType<typeof annotated>
let reader: UltragitServer
beforeAll(async () => {
  repository = annotated()
  reader = await startUltragit(repository.directory)
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

describe('acceptance criteria', () => {
  it('1. mcp start runs as a long-lived stdio process that speaks JSON-RPC [ultragit-1-mcp]', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await reader.request('ping')).toMatchObject({ jsonrpc: '2.0', result: {} })
    }
    expect(reader.child.exitCode).toBeNull()
  })

  it('2. initialize is answered with capabilities: tools [ultragit-2-initialize]', async () => {
    expect(JSON.parse(reader.lines[0] ?? '')).toMatchObject({
      result: { capabilities: { tools: {} }, serverInfo: { name: 'ultragit' } },
    })
    const { result } = JSON.parse(reader.lines[0] ?? '') as { result: { capabilities: object } }
    expect(Object.keys(result.capabilities)).not.toEqual(expect.arrayContaining(['resources']))
    expect(Object.keys(result.capabilities)).not.toEqual(expect.arrayContaining(['prompts']))
  })

  it('3. tools/list returns exactly the four tools; with --write a fifth [ultragit-3-tools]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory)
    const names = ['ultragit_read', 'ultragit_deps', 'ultragit_history', 'ultragit_summary']
    const { result } = await server.request('tools/list')
    expect(result?.tools?.map(({ name }) => name)).toEqual(names)
    await using writing = await startUltragit(test.directory, ['--write'])
    const listed = await writing.request('tools/list')
    expect(listed.result?.tools?.map(({ name }) => name)).toEqual([...names, 'ultragit_annotate'])
    expect(await server.call('ultragit_annotate', { summary: 'x' })).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('4. each inputSchema describes its required and optional parameters [ultragit-4-each]', async () => {
    const { result } = await reader.request('tools/list')
    const schemas = Object.fromEntries(
      (result?.tools ?? []).map(({ name, inputSchema }) => {
        const { properties, required } = inputSchema as {
          properties: Record<string, { type: string }>
          required: string[]
        }
        return [
          name,
          {
            required,
            types: Object.entries(properties).map(([key, { type }]) => `${key}: ${type}`),
          },
        ]
      }),
    )
    expect(schemas).toEqual({
      ultragit_read: {
        required: ['path'],
        types: ['path: string', 'anchor: string', 'lines: string', 'max_tokens: integer'],
      },
      ultragit_deps: { required: ['path'], types: ['path: string', 'anchor: string'] },
      ultragit_history: {
        required: ['path'],
        types: ['path: string', 'anchor: string', 'limit: integer'],
      },
      ultragit_summary: { required: ['path'], types: ['path: string', 'anchor: string'] },
    })
  })

  it.each([
    ['5. ultragit_read', 'ultragit_read', 'read', { path: FILE, anchor: 'Client::connect' }],
    ['6. ultragit_deps', 'ultragit_deps', 'deps', { path: FILE, anchor: 'connect' }],
    ['7. ultragit_history', 'ultragit_history', 'history', { path: FILE, anchor: 'connect' }],
    ['8. ultragit_summary', 'ultragit_summary', 'summary', { path: FILE }],
  ] as const)(
    '%s returns the same data as the command line [ultragit-returns-same]',
    async (_, tool, verb, args) => {
      await using test = annotated()
      await initialiseProject(test.directory)
      await using server = await startUltragit(test.directory)
      const { path, ...rest } = args
      const words = 'anchor' in rest ? [path, rest.anchor] : [path]
      const { out } = await command(test.directory, ['code', verb, ...words, '--json'])
      expect(await server.ask(tool, args)).toEqual(JSON.parse(out))
    },
  )

  it('9. tool errors are results with isError and a message; the server stays alive [ultragit-9-tool]', async () => {
    const textOf = async (args: object) => (await reader.call('ultragit_read', args)).result
    expect(await textOf({ path: 'nowhere.ts' })).toEqual({
      content: [{ type: 'text', text: 'File not found: nowhere.ts' }],
      isError: true,
    })
    expect(await textOf({})).toEqual({
      content: [{ type: 'text', text: 'Missing required argument: path' }],
      isError: true,
    })
    expect(await textOf({ path: FILE, lines: 'x' })).toMatchObject({ isError: true })
    expect(await reader.call('ultragit_frobnicate', {})).toMatchObject({
      error: { message: 'Unknown tool: ultragit_frobnicate' },
    })
    expect(await reader.ask('ultragit_read', { path: FILE })).toMatchObject({
      stats: { annotations_found: 2 },
    })
  })

  it('10. malformed JSON-RPC input does not crash it [ultragit-10-malformed]', async () => {
    for (const bad of [
      '{',
      'null\n',
      '[]\n',
      '{"jsonrpc":"1.0"}\n',
      '"text"\n',
      '\n',
      '{"id":{}}\n',
    ])
      reader.send(bad)
    reader.send('\n')
    expect(await reader.request('ping')).toMatchObject({ result: {} })
  })

  it('11. it exits cleanly when stdin is closed, and on SIGTERM and SIGINT [ultragit-11-exits]', async () => {
    await using test = annotated()
    const server = await startUltragit(test.directory)
    await server.ask('ultragit_read', { path: FILE })
    server.child.stdin.end()
    expect(await server.closed).toEqual({ code: 0, signal: null })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const other = await startUltragit(test.directory)
      other.child.kill(signal)
      expect(await other.closed).toEqual({ code: 0, signal: null })
    }
  })

  it('13. nothing but JSON-RPC on stdout; diagnostics go to stderr [ultragit-13-nothing]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory, [], { WAYMARK_LOG_LEVEL: 'debug' })
    await server.call('ultragit_read', { path: 'nowhere.ts' })
    await server.ask('ultragit_read', { path: FILE })
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    await expect.poll(() => server.log.text).toContain('serving')
  })
})

describe('integration tests', () => {
  it('full protocol handshake: initialize, list, each tool, close [ultragit-full-protocol]', async () => {
    await using test = annotated()
    const server = await startUltragit(test.directory)
    expect((await server.request('tools/list')).result?.tools).toHaveLength(4)
    for (const name of ['ultragit_read', 'ultragit_deps', 'ultragit_history', 'ultragit_summary']) {
      expect((await server.call(name, { path: FILE })).result?.isError).not.toBe(true)
    }
    server.child.stdin.end()
    expect((await server.closed).code).toBe(0)
  })

  it('ultragit_read: the annotation of the file [ultragit-read-annotation]', async () => {
    expect(await reader.ask('ultragit_read', { path: FILE, anchor: 'parse' })).toMatchObject({
      $schema: 'ultragit-read/v1',
      query: { file: FILE, anchor: 'parse' },
      regions: [{ commit: repository.commits[1], intent: 'Numbers only' }],
    })
  })

  it('ultragit_deps: what depends on the function [ultragit-deps-depends]', async () => {
    expect(
      await reader.ask('ultragit_deps', { path: FILE, anchor: 'Client::connect' }),
    ).toMatchObject({
      $schema: 'ultragit-deps/v1',
      dependents: [{ file: 'app.ts', anchor: 'start', nature: 'never throws' }],
    })
  })

  it('ultragit_history: the timeline in chronological order [ultragit-history-timeline]', async () => {
    expect(await reader.ask('ultragit_history', { path: FILE, anchor: 'connect' })).toMatchObject({
      $schema: 'ultragit-history/v1',
      timeline: [
        { commit: repository.commits[0], intent: 'Dial with bounded retries' },
        { commit: repository.commits[1], intent: 'One more try' },
      ],
    })
  })

  it('ultragit_summary: intent and constraints of each region, condensed [ultragit-summary-intent]', async () => {
    const summary = await reader.ask('ultragit_summary', { path: FILE })
    expect(summary).toMatchObject({
      $schema: 'ultragit-summary/v1',
      units: [
        {
          anchor: { name: 'Client.connect' },
          intent: 'One more try',
          constraints: [{ text: 'at most ten tries' }],
        },
        { anchor: { name: 'parse' }, intent: 'Numbers only' },
      ],
      stats: { annotated_units: 2 },
    })
    expect(JSON.stringify(summary)).not.toContain('reasoning')
    expect(await reader.ask('ultragit_summary', { path: 'src' })).toMatchObject({
      stats: { annotated_units: 2 },
    })
  })

  it('what is annotated with --write is read by the same and by the native tools [ultragit-annotated-write]', async () => {
    await using test = annotated()
    await using server = await startUltragit(test.directory, ['--write'])
    expect(
      await server.ask('ultragit_annotate', {
        summary: 'Said by an agent over MCP',
        regions: [{ file: 'app.ts', anchor: 'start', intent: 'Begins everything' }],
      }),
    ).toMatchObject({ success: true, regions_written: 1 })
    expect(test.git('notes', '--ref', 'ultragit', 'show', 'HEAD')).toContain('Begins everything')
    const { out } = await waymark(test.directory, ['code', 'read', 'app.ts', '--json'])
    expect(out).toContain('Begins everything')
  })

  it('--noteref reads that ref and no other; --repo another folder [ultragit-noteref-reads]', async () => {
    await using test = annotated()
    addNote(test, test.commits[1], [{ ...CONNECT, intent: 'From another ref' }], 'other')
    await using server = await startUltragit(tmpdir(), [
      '--repo',
      test.directory,
      '--noteref',
      'refs/notes/other',
    ])
    const { regions } = (await server.ask('ultragit_read', { path: FILE })) as {
      regions: { intent: string }[]
    }
    expect(regions.map(({ intent }) => intent)).toEqual(['From another ref'])
  })

  it('ultragit.noteref of git’s configuration and .ultragit-config.toml name the default [ultragit-noteref-git]', async () => {
    await using test = annotated()
    addNote(test, test.commits[1], [{ ...CONNECT, intent: 'From the file’s ref' }], 'filed')
    test.write({ '.ultragit-config.toml': 'noteref = "refs/notes/filed"\nexclude = ["app.ts"]\n' })
    const read = async (path: string) => {
      await using server = await startUltragit(test.directory)
      const { regions } = (await server.ask('ultragit_read', { path })) as {
        regions: { intent: string }[]
      }
      return regions.map(({ intent }) => intent)
    }
    expect(await read(FILE)).toEqual(['From the file’s ref'])
    expect(await read('app.ts')).toEqual([])
    test.git('config', 'ultragit.noteref', 'refs/notes/ultragit')
    expect(await read(FILE)).toHaveLength(3)
    test.git('config', 'ultragit.noteref', 'refs/heads/main')
    await using server = await startUltragit(test.directory)
    expect(await server.call('ultragit_read', { path: FILE })).toMatchObject({
      result: { isError: true },
    })
  })
})
