import { describe, expect, it } from 'vitest'
import { setupCode } from './code-setup.ts'

const EXPRESS = `res.get = function (field) {
  return this.getHeader(field)
}

res.redirect = function (url) {
  this.location(url)
}

res.set =
res.header = function header (field, val) {
  this.setHeader(field, String(val))
  return this
}
`
/** The parser for TypeScript does not understand the type arguments behind the call. */
const HONO = `export type NotFoundHandler = (c: Context) => Response

export class Hono extends defineDynamicClass(...METHODS)<Env, string, Hono> {
  notFoundHandler: NotFoundHandler = (c: Context) => {
    return c.text('404 Not Found', 404)
  }
}
`

describe('an anchor is written exactly', () => {
  it('a name that is not there is refused, with the nearest ones', async () => {
    await using test = await setupCode()
    test.commit('one', { 'lib/response.js': EXPRESS })
    const regions = [{ file: 'lib/response.js', anchor: 'res.redirct', intent: 'guess' }]
    await expect(test.annotate({ summary: 'A guess', regions })).rejects.toMatchObject({
      code: 'invalid_input',
      message:
        'regions.0.anchor: no res.redirct in lib/response.js; the nearest: method res.redirect (5:7). Name one of them, or give lines',
      details: { field: 'regions.0.anchor', valid: ['res.redirect'] },
    })
    expect(test.git('for-each-ref', 'refs/notes')).toBe('')
  })

  it('given lines decide where a name is not known', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/hono.ts': HONO })
    await test.annotate({
      summary: 'Answers 404 in plain text',
      regions: [
        { file: 'src/hono.ts', anchor: 'Hono.notFoundHandlr', lines: '4:6', intent: 'plain text' },
      ],
    })
    const at = async (lines: string) =>
      (await test.read({ path: 'src/hono.ts', lines })).regions.map(({ intent }) => intent)
    expect(await at('1:1')).toEqual([])
    expect(await at('4:6')).toEqual(['plain text'])
  })

  it('every name of a chained assignment is one', async () => {
    await using test = await setupCode()
    test.commit('one', { 'lib/response.js': EXPRESS })
    const { anchor_resolutions: resolutions } = await test.annotate({
      summary: 'Values are always strings',
      regions: ['res.set', 'res.header'].map((anchor) => ({
        file: 'lib/response.js',
        anchor,
        intent: anchor,
      })),
    })
    expect(resolutions.map(({ resolution }) => resolution)).toEqual(['exact', 'exact'])
    const { regions } = await test.read({ path: 'lib/response.js', anchor: 'res.set' })
    expect(regions[0]).toMatchObject({ lines: { start: 9, end: 13 } })
    expect((await test.read({ path: 'lib/response.js', anchor: 'res.get' })).regions).toEqual([])
  })

  it('a computed name is not the class around it', async () => {
    await using test = await setupCode()
    const text = `class Pool {
  [Symbol.dispose](): void {
    this.close('disposed', 0)
  }
  close(why: string, size: number): void {
    log(why, size)
  }
}
`
    test.commit('one', { 'pool.ts': text })
    const anchor = 'Pool.[Symbol.dispose]'
    const { anchor_resolutions: resolved } = await test.annotate({
      summary: 'Disposed by the scope',
      regions: [{ file: 'pool.ts', anchor, intent: 'Scopes close it' }],
    })
    expect(resolved).toMatchObject([{ resolution: 'exact' }])
    const read = async (name: string) =>
      (await test.read({ path: 'pool.ts', anchor: name })).regions
    expect(await read('Pool.close')).toEqual([])
    expect(await read(anchor)).toHaveLength(1)
  })

  it('one name of two kinds is refused, unless lines or the kind tell them apart', async () => {
    await using test = await setupCode()
    const text = 'mod search;\n\npub fn search(query: &str) -> u32 {\n    index(query) + 1\n}\n'
    test.commit('one', { 'main.rs': text })
    const write = (more: object) =>
      test.annotate({
        summary: 'Search is exhaustive',
        regions: [{ file: 'main.rs', anchor: 'search', intent: 'all of it', ...more }],
      })
    await expect(write({})).rejects.toMatchObject({
      message: expect.stringContaining('module search (1:1), function search (3:5)') as string,
    })
    await write({ lines: '3:5' })
    await write({ anchor: { name: 'search', type: 'function' } })
    const { regions } = await test.read({ path: 'main.rs', anchor: 'search' })
    expect(regions.map(({ ast_anchor: anchor }) => anchor?.type)).toEqual(['function', 'function'])
  })
})

/** A unit of each language, beside one whose name ends like its own. */
const LANGUAGES: Readonly<Record<string, readonly [name: string, text: string]>> = {
  'a.ts': [
    'Pool.close',
    'export const close = 1\nexport class Pool {\n  close(): void {\n    this.flush()\n    this.end(OLD)\n  }\n}\n',
  ],
  'a.tsx': [
    'View.render',
    'export function render() {\n  return <p>no</p>\n}\nexport class View {\n  render() {\n    const shown = this.rows()\n    return <b>{shown.length + OLD}</b>\n  }\n}\n',
  ],
  'a.js': [
    'app.use',
    'function use () {\n  return 1\n}\napp.use = function use (path, handler) {\n  const route = this.route(path)\n  return route.add(handler, OLD)\n}\n',
  ],
  'a.py': [
    'Flask.run',
    'def run():\n    return 1\n\n\nclass Flask:\n    def run(self, port):\n        server = make_server(port)\n        return server.serve(OLD)\n',
  ],
  'a.rs': [
    'Pool::new',
    'struct Pool;\nstruct Other;\nimpl Other {\n    fn new() -> Other {\n        Other\n    }\n}\nimpl Pool {\n    fn new(size: usize) -> Pool {\n        let slots = allocate(size);\n        Pool::with(slots, OLD)\n    }\n}\n',
  ],
  'a.go': [
    'Context.Set',
    'package a\n\nfunc Set() int {\n\treturn 1\n}\n\nfunc (c *Context) Set(key string) {\n\tc.mu.Lock()\n\tc.keys[key] = OLD\n}\n',
  ],
  'A.java': [
    'A.B.close',
    'class A {\n  void close() {\n    one();\n  }\n  class B {\n    void close() {\n      flush(this);\n      end(OLD);\n    }\n  }\n}\n',
  ],
  'a.c': [
    'zadd',
    'struct zadd { int a; };\n\nint zadd(struct zadd *set) {\n  int added = insert(set);\n  return added + OLD;\n}\n',
  ],
  'a.cpp': [
    'Pool::close',
    'void close() {\n  one();\n}\nvoid Pool::close() {\n  flush(this);\n  end(OLD);\n}\n',
  ],
  'a.cs': [
    'N.Pool.Close',
    'namespace N {\n  class Other { void Close() { One(); } }\n  class Pool {\n    void Close() {\n      Flush(this);\n      End(OLD);\n    }\n  }\n}\n',
  ],
  'a.rb': [
    'Pool.close',
    'def close\n  one\nend\n\nclass Pool\n  def close\n    flush_all(self)\n    finish(OLD)\n  end\nend\n',
  ],
  'a.php': [
    'Pool.close',
    '<?php\nfunction close() {\n  one();\n}\nclass Pool {\n  function close() {\n    flush($this);\n    finish(OLD);\n  }\n}\n',
  ],
  'a.swift': [
    'Pool.close',
    'func close() {\n  one()\n}\nclass Pool {\n  func close() {\n    flush(self)\n    finish(OLD)\n  }\n}\n',
  ],
  'a.kt': [
    'Pool.close',
    'fun close() {\n  one()\n}\nclass Pool {\n  fun close() {\n    flush(this)\n    finish(OLD)\n  }\n}\n',
  ],
}

describe('in every language', () => {
  it('an annotation stays with its unit through an edit, and is told of no namesake', async () => {
    await using test = await setupCode()
    const files = Object.entries(LANGUAGES)
    test.commit('one', Object.fromEntries(files.map(([file, [, text]]) => [file, text])))
    const { anchor_resolutions: resolutions } = await test.annotate({
      summary: 'One reason for each language',
      regions: files.map(([file, [name, text]]) => {
        const line = text.slice(0, text.indexOf('OLD')).split('\n').length
        return { file, anchor: name, lines: `${line}:${line}`, intent: name }
      }),
    })
    expect(resolutions.map(({ file, resolution }) => `${file} ${resolution}`)).toEqual(
      files.map(([file]) => `${file} exact`),
    )
    test.commit(
      'two',
      Object.fromEntries(files.map(([file, [, text]]) => [file, text.replace('OLD', 'NEW')])),
    )
    for (const [file, [name, text]] of files) {
      const line = text.slice(0, text.indexOf('OLD')).split('\n').length
      const { regions } = await test.read({ path: file })
      expect(regions, file).toMatchObject([{ intent: name, freshness: { state: 'drifted' } }])
      const { start = 0, end = 0 } = regions[0]?.lines ?? {}
      expect(start < line && end >= line, `${file} ${start}:${end}`).toBe(true)
    }
  })
})
