import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const DIST = new URL('../../dist/', import.meta.url)

/** Runs a program on the built package and tells which of its files and which modules of Node were loaded. */
async function loadedBy(program: string): Promise<{ files: string[]; builtins: string[] }> {
  const coverage = await mkdtemp(join(tmpdir(), 'baton-coverage-'))
  try {
    const { stdout } = await run(
      process.execPath,
      ['--input-type=module', '--eval', `${program}\nconsole.log(process.moduleLoadList.join())`],
      {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        env: { ...process.env, NODE_V8_COVERAGE: coverage },
      },
    )
    const urls: string[] = []
    for (const file of await readdir(coverage)) {
      const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as {
        result: { url: string }[]
      }
      urls.push(...result.map(({ url }) => url).filter((url) => url.startsWith(DIST.href)))
    }
    const files = urls.map((url) => url.slice(DIST.href.length).replace(/-[\w-]{8}\.js$/, '.js'))
    return { files: files.toSorted(), builtins: stdout.trim().split(',') }
  } finally {
    await rm(coverage, { recursive: true })
  }
}

const CREATE = `import { createServer } from '@waymark/baton'
const server = createServer({ name: 'app', version: '1' }).tool({
  name: 'echo',
  inputSchema: { type: 'object' },
  run: () => ({ content: [] }),
})`

test('a stdio server loads three files, and no crypto', async () => {
  const { files, builtins } = await loadedBy(`import { PassThrough } from 'node:stream'
import { serveStdio } from '@waymark/baton/node'
${CREATE}
const [input, output] = [new PassThrough(), new PassThrough()]
const handle = serveStdio(server, { input, output })
input.end('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}\\n')
await handle.closed
if (!String(output.read()).includes('serverInfo')) throw new Error('not greeted')`)
  expect(files).toEqual(['chunks/core.js', 'index.js', 'node.js'])
  // Versions of Node differ in what they load by themselves.
  const { builtins: ownOfNode } = await loadedBy('')
  const added = builtins.filter((name) => !ownOfNode.includes(name))
  expect(added.filter((name) => /crypto|NativeModule http/.test(name))).toEqual([])
})

test('an HTTP server loads one more file', async () => {
  const { files } = await loadedBy(`import { listenHttp } from '@waymark/baton/node'
${CREATE}
await (await listenHttp(server, { authenticator: 'none' })).close()`)
  expect(files).toEqual(['chunks/core.js', 'chunks/http-handler.js', 'index.js', 'node.js'])
})

test('the root entry and the HTTP entry load nothing of Node', async () => {
  for (const entry of ['index.js', 'http.js']) {
    const texts = [await readFile(new URL(entry, DIST), 'utf8')]
    for (const text of texts) {
      expect(text).not.toMatch(/['"]node:/)
      for (const [, file = ''] of text.matchAll(/^(?:import|export) .*from "(\.\/chunks\/.+)"/gm))
        texts.push(await readFile(new URL(file, DIST), 'utf8'))
    }
    expect(texts.length).toBeGreaterThan(1)
  }
})

test('the zod entry is all of zod in one file', async () => {
  const program = `import * as z from '@waymark/baton/zod'
import * as installed from 'zod'
const shape = (z) => z.object({ email: z.email(), tags: z.array(z.string()).default([]) })
const told = ({ default: _, ...z }) => [Object.keys(z), z.toJSONSchema(shape(z)), shape(z).safeParse({ email: 1 }).error.issues]
process.exitCode = JSON.stringify(told(z)) === JSON.stringify(told(installed)) ? 0 : 1`
  const { files } = await loadedBy(program)
  expect(files).toEqual(['zod.js'])
})
