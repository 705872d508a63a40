import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createProject, createRepository } from '../setup.ts'
import { startServer, waymark } from './binary.ts'

/** Every chunk and the sources in it. */
type Bundle = Readonly<Record<string, readonly string[]>>

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Runs the program with these variables until it ends. */
type Run = (env: NodeJS.ProcessEnv) => Promise<unknown>

/** The files of the program that really were loaded, as V8 lists them. */
async function filesLoadedIn(run: Run): Promise<string[]> {
  const coverage = mkdtempSync(join(tmpdir(), 'waymark-coverage-'))
  await run({ NODE_V8_COVERAGE: coverage })
  const urls = readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as {
      result: { url: string }[]
    }
    return result.map(({ url }) => url)
  })
  rmSync(coverage, { recursive: true })
  return urls.filter((url) => url.includes('/dist/bin/')).map((url) => basename(url))
}

/** The source files in them, as the bundler says. */
async function sourcesLoadedIn(run: Run): Promise<string[]> {
  const files = await filesLoadedIn(run)
  const bundle = JSON.parse(readFileSync(join(dist, 'bundle.json'), 'utf8')) as Bundle
  return Object.entries(bundle)
    .filter(([chunk]) => files.includes(basename(chunk)))
    .flatMap(([, sources]) => sources)
}

function filesLoadedBy(directory: string, args: readonly string[]): Promise<string[]> {
  return filesLoadedIn((env) => waymark(directory, args, env))
}

function sourcesLoadedBy(directory: string, args: readonly string[]): Promise<string[]> {
  return sourcesLoadedIn((env) => waymark(directory, args, env))
}

it('a plain read loads neither the MCP nor the HTTP code, nor what only changes need', async () => {
  await using repository = await createProject()
  const loaded = await sourcesLoadedBy(repository.directory, ['list'])
  expect(loaded).toEqual(
    expect.arrayContaining([
      'src/surfaces/cli/cli.ts',
      'src/entity/operations.ts',
      'src/core/store/open.ts',
    ]),
  )
  expect(
    loaded.filter((source) =>
      /baton|surface\/(mcp|mcp-\w+|http|serve)\.ts|dialects\/|domain\/secrets\/|hono|opentelemetry/.test(
        source,
      ),
    ),
  ).toEqual([])
})

it('the version is told without loading anything else', async () => {
  await using repository = createRepository()
  const loaded = await sourcesLoadedBy(repository.directory, ['--version'])
  expect(loaded.toSorted()).toEqual([
    'src/bin.ts',
    'src/support/version.ts',
    'src/support/written.ts',
  ])
})

it('a hook loads one file, with neither the schema library nor the command line', async () => {
  await using repository = await createProject()
  const args = ['hook', 'prompt', '--host', 'claude-code']
  expect(await filesLoadedBy(repository.directory, args)).toEqual(['hook.cjs'])
  const loaded = await sourcesLoadedBy(repository.directory, args)
  expect(loaded).toEqual(expect.arrayContaining(['src/surfaces/hook/run-hook.ts']))
  expect(
    loaded.filter((source) => /node_modules|operations\.ts|surfaces\/cli/.test(source)),
  ).toEqual([])
})

it('connecting loads no schema library; the tool list was made at build time', async () => {
  await using repository = await createProject()
  const loaded = await sourcesLoadedBy(repository.directory, ['serve'])
  expect(loaded).toEqual(
    expect.arrayContaining(['src/surfaces/mcp/mcp.ts', 'src/dialects/waymark/dialect.ts']),
  )
  expect(
    loaded.filter((source) =>
      /node_modules\/(zod|hono|jose|@opentelemetry)|surface\/http\/|operations\/(?!index)/.test(
        source,
      ),
    ),
  ).toEqual([])
})

it('the first call loads its own tool and no other [first-call-loads]', async () => {
  await using repository = await createProject()
  const loaded = await sourcesLoadedIn(async (env) => {
    await using server = await startServer(repository.directory, [], env)
    const answer = await server.request('tools/call', { name: 'brief', arguments: {} })
    expect(answer.result).not.toHaveProperty('isError')
    server.child.stdin.end()
    await server.closed
  })
  expect(loaded).toContain('src/dialects/waymark/knowledge/brief-tool.ts')
  expect(
    loaded.filter((source) =>
      /waymark\/(task|apps\/tools\.ts|message|events|knowledge\/(code|know))|message\/op|graph\/op/.test(
        source,
      ),
    ),
  ).toEqual([])
})
