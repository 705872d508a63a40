import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { codeHistory } from '../../../src/annotation/read/history.ts'
import { type CodeSetup, setupCode } from './code-setup.ts'

const SECRET = `def secret_compare(left, right):
    result = 0
    for a, b in zip(left, right):
        result |= ord(a) ^ ord(b)
    return result
`
const CONFIG = `def load_config(path):
    with open(path) as file:
        result = parse(file.read())
    return result
`
const PARSE = `export function parse(text: string): Settings {
  const found = new Map<string, string>()
  for (const line of text.split('\\n')) {
    const [key, value] = line.split('=')
    if (key === undefined || value === undefined) throw new Error(line)
    found.set(key.trim(), value.trim())
  }
  return { found, size: found.size }
}
`
const OTHER = `export function print(settings: Settings): string {
  return [...settings.found].map(([key, value]) => key + value).join(';')
}
`

/** A repository with one annotated unit. */
async function annotated(
  file: string,
  text: string,
  anchor: string | { name: string; type: string },
): Promise<CodeSetup> {
  const test = await setupCode()
  test.commit('Add it', { [file]: text })
  await test.annotate({
    summary: 'Why it is so, at some length',
    regions: [{ file, anchor, intent: 'constant time on purpose' }],
  })
  return test
}

/** On a busy machine the first answer may be incomplete, and says so. */
async function about(test: CodeSetup, path: string, anchor: string) {
  for (;;) {
    const { regions, notes = [] } = await test.read({ path, anchor })
    if (!notes.some((note) => note.includes('still being traced'))) return regions
  }
}

describe('a deleted unit’s reason is told of no other unit', () => {
  it('that shares a line with it', async () => {
    await using test = await annotated('a.py', `${SECRET}\n\n${CONFIG}`, 'secret_compare')
    const commit = test.commit('Remove it', { 'a.py': CONFIG })
    expect(await about(test, 'a.py', 'load_config')).toEqual([])
    const [region] = (await test.read({ path: 'a.py' })).regions
    expect(region?.freshness).toMatchObject({
      state: 'orphaned',
      evidence: `deleted by ${commit.slice(0, 12)}`,
    })
    expect(region?.confidence).toBeLessThan(0.3)
    const { timeline } = await execute(test.context, codeHistory, { path: 'a.py' })
    expect(timeline).toMatchObject([{ state: 'orphaned', gone_by: commit }])
  })

  it('and the commit that deleted it is named, although later versions mention the name', async () => {
    await using test = await annotated('a.py', `${SECRET}\n\n${CONFIG}`, 'secret_compare')
    test.commit('Edit', { 'a.py': `${SECRET}\n\n${CONFIG}\n# one\n` })
    const commit = test.commit('Remove it', { 'a.py': `${CONFIG}\n# was: secret_compare\n` })
    test.commit('Edit again', { 'a.py': `${CONFIG}\n# was: secret_compare once\n` })
    test.commit('Forget it', { 'a.py': CONFIG })
    test.commit('Go on', { 'a.py': `${CONFIG}\n# two\n` })
    const { timeline } = await execute(test.context, codeHistory, { path: 'a.py' })
    expect(timeline).toMatchObject([{ state: 'orphaned', gone_by: commit }])
  })

  it('that has its name in another class', async () => {
    const classes = (...names: string[]) =>
      names
        .map((name) => `class ${name}:\n    def close(self):\n        self.${name}.stop()\n`)
        .join('\n\n')
    await using test = await annotated('a.py', classes('Alpha', 'Beta'), 'Alpha.close')
    test.commit('Remove Alpha', { 'a.py': classes('Beta') })
    expect(await about(test, 'a.py', 'Beta.close')).toEqual([])
  })

  it('that is of another kind, or only ends in its name', async () => {
    const text = 'mod search;\n\npub fn search(query: &str) -> u32 {\n    index(query) + 1\n}\n'
    await using test = await annotated('src/main.rs', text, { name: 'search', type: 'function' })
    test.commit('Edit', { 'src/main.rs': text.replace('+ 1', '+ 2') })
    const [region] = (await test.read({ path: 'src/main.rs', lines: '3:5' })).regions
    expect(region).toMatchObject({ ast_anchor: { type: 'function' }, lines: { start: 3, end: 5 } })

    const close = 'export function close(): void {\n  stop()\n}\n'
    const pool = 'export class Pool {\n  close(): void {\n    this.end()\n  }\n}\n'
    await using other = await annotated('pool.ts', `${close}\n${pool}`, 'close')
    expect(await about(other, 'pool.ts', 'Pool.close')).toEqual([])
    expect(await about(other, 'pool.ts', 'close')).toHaveLength(1)
  })

  it('that is a copy of it, and stays when it goes', async () => {
    const copy = PARSE.replace('parse(', 'parseTwice(')
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    test.commit('Copy', { 'a.ts': `${PARSE}\n${OTHER}\n${copy}` })
    const commit = test.commit('Remove the original', { 'a.ts': `${OTHER}\n${copy}` })
    expect(await about(test, 'a.ts', 'parseTwice')).toEqual([])
    const { timeline } = await execute(test.context, codeHistory, { path: 'a.ts' })
    expect(timeline).toMatchObject([{ state: 'orphaned', gone_by: commit }])
  })

  it('that was split off its file, which was renamed since', async () => {
    const copy = PARSE.replace('parse(', 'parseTwice(')
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    test.commit('Copy', { 'a.ts': `${PARSE}\n${OTHER}\n${copy}` })
    test.commit('Split', { 'a.ts': PARSE, 'b.ts': `${OTHER}\n${copy}` })
    test.git('mv', 'a.ts', 'c.ts')
    test.commit('Rename')
    expect(await about(test, 'b.ts', 'parseTwice')).toEqual([])
    expect(await about(test, 'c.ts', 'parse')).toHaveLength(1)
  })

  it('around it, whose name is told for the next question', async () => {
    const text = `export function outer(): void {\n  function inner(): void {\n    work()\n  }\n  inner()\n}\n`
    await using test = await setupCode()
    test.commit('Add', { 'a.ts': text })
    test.commit('Edit', { 'a.ts': text.replace('  inner()\n', '  inner()\n  inner()\n') })
    await test.annotate({
      summary: 'Twice, because the first call warms up',
      regions: [{ file: 'a.ts', anchor: 'outer', intent: 'Twice' }],
    })
    const { regions, notes } = await test.read({ path: 'a.ts', anchor: 'inner' })
    expect(regions).toEqual([])
    expect(notes).toEqual(["Also annotated, around this: 'outer'."])
  })

  it('around it, where another unit of its name was meant', async () => {
    const text = (result: string) =>
      `export function tools(): Tool[] {\n  return [\n${['one', 'two']
        .map((name, at) => {
          const body = at === 0 ? result : 'read(input)'
          return `    define({\n      name: '${name}',\n      toResult(input) {\n        return ${body}\n      },\n    }),\n`
        })
        .join('')}  ]\n}\n`
    await using test = await setupCode()
    test.commit('Add', { 'a.ts': text('read(input)') })
    test.commit('Edit', { 'a.ts': text('write(input)') })
    await test.annotate({
      summary: 'The first one writes, because readers wait for it',
      regions: [{ file: 'a.ts', anchor: 'tools', intent: 'It writes' }],
    })
    const { regions, notes = [] } = await test.read({ path: 'a.ts', anchor: 'tools.toResult' })
    expect(regions).toEqual([])
    expect(notes).toContain("Also annotated, around this: 'tools'.")
    const written = await test.read({ path: 'a.ts', lines: '5:7' })
    expect(written.regions).toMatchObject([{ intent: 'It writes' }])
  })
})

describe('a unit that goes elsewhere keeps its reason', () => {
  it('in another file, through the edits that follow', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    const commit = test.commit('Split', { 'a.ts': OTHER, 'b.ts': PARSE })
    test.commit('Edit', { 'b.ts': PARSE.replace("split('=')", "split(':')") })
    expect(await about(test, 'b.ts', 'parse')).toMatchObject([
      {
        freshness: {
          state: 'moved',
          was: { file: 'a.ts' },
          evidence: `moved by ${commit.slice(0, 12)}, 6 of 7 lines left`,
        },
      },
    ])
  })

  it('in another file, edited by the commit that moved it', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    test.commit('Split', { 'a.ts': OTHER, 'b.ts': PARSE.replace('found.size', 'found.size + 1') })
    expect(await about(test, 'b.ts', 'parse')).toHaveLength(1)
  })

  it('under another name, with the commit that renamed it', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    const commit = test.commit('Rename', {
      'a.ts': `${PARSE.replace('parse(', 'readSettings(')}\n${OTHER}`,
    })
    test.commit('Edit', {
      'a.ts': `${PARSE.replace('parse(', 'readSettings(').replace("split('=')", "split(':')")}\n${OTHER}`,
    })
    const [region] = await about(test, 'a.ts', 'readSettings')
    expect(region?.freshness.evidence).toBe(`renamed by ${commit.slice(0, 12)}, 5 of 7 lines left`)
    expect(region?.confidence).toBeLessThan(0.9)
  })

  it('through a move, a rename, and a move of the renamed one', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    const renamed = PARSE.replace('parse(', 'readSettings(')
    test.commit('Split', { 'a.ts': OTHER, 'b.ts': PARSE })
    test.commit('Rename', { 'b.ts': renamed })
    test.commit('Use', { 'c.ts': 'export const size = 1\n' })
    test.commit('Move again', { 'b.ts': '', 'c.ts': `export const size = 1\n${renamed}` })
    test.commit('Edit', {
      'c.ts': `export const size = 1\n${renamed.replace("split('=')", "split(':')")}`,
    })
    expect(await about(test, 'c.ts', 'readSettings')).toMatchObject([
      { freshness: { state: 'moved', was: { file: 'a.ts', anchor: 'parse' } } },
    ])
  })

  it('but a copy gets none after the original went on to a third file', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    const copy = PARSE.replace('parse(', 'parseAgain(')
    test.commit('Copy', { 'a.ts': `${PARSE}\n${copy}\n${OTHER}` })
    test.commit('Split', { 'a.ts': OTHER, 'b.ts': `${PARSE}\n${copy}` })
    test.commit('Split again', { 'b.ts': copy, 'c.ts': PARSE })
    expect(await about(test, 'b.ts', 'parseAgain')).toEqual([])
    expect(await about(test, 'c.ts', 'parse')).toHaveLength(1)
  })

  it('but a copy gets none while the original is there', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    test.commit('Copy', { 'a.ts': `${PARSE}\n${OTHER}// more\n`, 'b.ts': PARSE })
    expect(await about(test, 'b.ts', 'parse')).toEqual([])
  })
})

describe('confidence', () => {
  it('falls with the lines that are gone, and most for code that was taken back', async () => {
    await using test = await annotated('a.ts', `${PARSE}\n${OTHER}`, 'parse')
    const confidence = async () => (await about(test, 'a.ts', 'parse'))[0]?.confidence ?? 0
    const fresh = await confidence()
    test.commit('Edit', { 'a.ts': `${PARSE.replace("split('=')", "split(':')")}\n${OTHER}` })
    const edited = await confidence()
    test.commit('Rewrite', {
      'a.ts': `export function parse(text: string): Settings {\n  return decode(text, STRICT)\n}\n\n${OTHER}`,
    })
    const rewritten = await confidence()
    expect(fresh).toBeGreaterThan(edited)
    expect(edited).toBeGreaterThan(rewritten)
    expect(rewritten).toBeLessThan(0.5)
  })

  it('of a reverted commit is low, and the revert is named', async () => {
    await using test = await setupCode()
    test.commit('Add', { 'a.ts': `${PARSE}\n${OTHER}` })
    const commit = test.commit('Trim less', {
      'a.ts': `${PARSE.replace('value.trim()', 'value')}\n${OTHER}`,
    })
    await test.annotate({
      summary: 'Values may begin with blanks',
      regions: [{ file: 'a.ts', anchor: 'parse', intent: 'Blanks count' }],
    })
    const revert = test.commit(`Revert "Trim less"\n\nThis reverts commit ${commit}.`, {
      'a.ts': `${PARSE}\n${OTHER}`,
    })
    const [region] = await about(test, 'a.ts', 'parse')
    expect(region?.freshness).toMatchObject({ state: 'drifted', reverted_by: revert })
    expect(region?.confidence).toBeLessThan(0.35)
  })
})
