import { describe, expect, it } from 'vitest'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'
import { toCommitId } from '../../../src/git/history/commit-id.ts'

const FILE = 'src/client.ts'

async function annotated(): Promise<CodeSetup> {
  const test = await setupCode()
  test.commit('Add a client', { [FILE]: CLIENT })
  await test.annotate({
    summary: 'A client that retries on its own',
    regions: [{ file: FILE, anchor: 'Client.connect', intent: 'Dial with bounded retries' }],
  })
  return test
}

const region = async (test: CodeSetup, path = FILE) => (await test.read({ path })).regions[0]

describe('freshness, told with every annotation when it is read', () => {
  it('fresh: the code is what it was, wherever in the file and however laid out [freshness-fresh-laid]', async () => {
    await using test = await annotated()
    test.commit('Reformat', {
      [FILE]: `// A comment\n\n${CLIENT.replace('(retries: number)', '(\n    retries: number,\n  )')}`,
    })
    expect(await region(test)).toMatchObject({
      freshness: { state: 'fresh', commits_since: 1 },
      lines: { start: 8, end: 12 },
      confidence_factors: { anchor_match: 1 },
    })
  })

  it('drifted: the body has changed, and by which commit [freshness-drifted-body]', async () => {
    await using test = await annotated()
    const commit = test.commit('Retry twice as often', {
      [FILE]: CLIENT.replace('dial(this.url, retries)', 'dial(this.url, retries * 2)'),
    })
    expect(await region(test)).toMatchObject({
      freshness: {
        state: 'drifted',
        changed: ['body'],
        changed_by: [{ commit, subject: 'Retry twice as often' }],
        commits_since: 1,
      },
      confidence_factors: { anchor_match: 1 },
    })
  })

  it('drifted: the signature has changed, which makes it less sure', async () => {
    await using test = await annotated()
    test.commit('Take options', { [FILE]: CLIENT.replace('retries: number', 'retries: bigint') })
    expect(await region(test)).toMatchObject({
      freshness: { state: 'drifted', changed: ['signature', 'body'] },
      confidence_factors: { anchor_match: 0.7 },
    })
  })

  it('drifted: also by what is not committed yet', async () => {
    await using test = await annotated()
    test.write({ [FILE]: `// On top\n${CLIENT.replace('dial(this.url', 'dial(this.url.trim()')}` })
    expect(await region(test)).toMatchObject({
      freshness: { state: 'drifted', changed: ['body'] },
      lines: { start: 7, end: 9 },
    })
  })

  it('moved: the file has another name', async () => {
    await using test = await annotated()
    test.git('mv', FILE, 'src/connection.ts')
    test.commit('Rename the file')
    expect(await region(test, 'src/connection.ts')).toMatchObject({
      file: 'src/connection.ts',
      freshness: { state: 'moved', changed: ['file'], was: { file: FILE } },
    })
  })

  it('moved: the method has another name [freshness-moved-name]', async () => {
    await using test = await annotated()
    test.commit('Rename', { [FILE]: CLIENT.replace('async connect', 'async open') })
    expect(await region(test)).toMatchObject({
      ast_anchor: { name: 'Client.open' },
      freshness: {
        state: 'moved',
        changed: ['name', 'signature', 'body'],
        was: { anchor: 'Client.connect' },
      },
      confidence_factors: { anchor_match: 0.3 },
    })
    expect((await test.read({ path: FILE, anchor: 'open' })).regions).toHaveLength(1)
  })

  it('moved: the function went to another file without the file', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'Numbers only, on purpose',
      regions: [{ file: FILE, anchor: 'parse', intent: 'Numbers only' }],
    })
    const at = CLIENT.indexOf('export function parse')
    test.commit('Split', {
      [FILE]: CLIENT.slice(0, at),
      'src/core/input/parse.ts': `// Parsing\n${CLIENT.slice(at)}`,
    })
    expect(await region(test, 'src/core/input/parse.ts')).toMatchObject({
      intent: 'Numbers only',
      lines: { start: 2, end: 4 },
      freshness: { state: 'moved', changed: ['file'], was: { file: FILE } },
    })
    expect(await region(test, FILE)).toMatchObject({ freshness: { state: 'orphaned' } })
  })

  it('equal code that was always elsewhere gets no annotation of its twin', async () => {
    await using test = await annotated()
    test.commit('Copy', { 'src/twin.ts': CLIENT })
    expect(await region(test, 'src/twin.ts')).toBeUndefined()
  })

  it('orphaned: the code is gone, and the annotation is still told for the file [freshness-orphaned-gone]', async () => {
    await using test = await annotated()
    test.commit('Remove it', { [FILE]: CLIENT.replace(/  async connect[^}]*\}\n/, '') })
    expect(await region(test)).toMatchObject({
      freshness: { state: 'orphaned', was: { lines: { start: 6, end: 8 } } },
      intent: 'Dial with bounded retries',
    })
    expect((await test.read({ path: FILE, anchor: 'close' })).regions).toEqual([])
  })

  it('a branch where the annotated commit is not does not know it, unless the code is the very same', async () => {
    await using test = await annotated()
    test.git('checkout', '--quiet', '--orphan', 'other')
    test.commit('Another beginning', {
      [FILE]: CLIENT.replace('dial(this.url', 'dial(this.url.trim()'),
    })
    expect(await region(test)).toBeUndefined()
    test.commit('The same after all', { [FILE]: CLIENT })
    expect(await region(test)).toMatchObject({
      reattached: true,
      freshness: { state: 'fresh' },
      confidence_factors: { provenance: 0.7 },
    })
  })
})

describe('freshness of lines in files that have no outline', () => {
  const TOML = '[server]\nport = 1\nhost = "a"\n\n[client]\nretries = 3\nwait = 5\n'

  async function annotatedLines(): Promise<CodeSetup> {
    const test = await setupCode()
    test.commit('one', { 'a.toml': TOML })
    await test.annotate({
      summary: 'Three retries are enough for anybody',
      regions: [{ file: 'a.toml', lines: '6:7', intent: 'Three tries in fifteen seconds' }],
    })
    return test
  }

  it('fresh: they are all there, further down', async () => {
    await using test = await annotatedLines()
    test.commit('two', { 'a.toml': `# Settings\n${TOML}` })
    expect(await region(test, 'a.toml')).toMatchObject({
      lines: { start: 7, end: 8 },
      freshness: { state: 'fresh' },
    })
  })

  it('fresh: also where line ends are converted and something else is not committed yet', async () => {
    await using test = await annotatedLines()
    test.write({ 'a.toml': `# Settings\n${TOML}`.replaceAll('\n', '\r\n') })
    expect(await region(test, 'a.toml')).toMatchObject({
      lines: { start: 7, end: 8 },
      freshness: { state: 'fresh' },
    })
  })

  it('drifted: some are gone', async () => {
    await using test = await annotatedLines()
    test.commit('two', { 'a.toml': TOML.replace('retries = 3', 'retries = 4') })
    expect(await region(test, 'a.toml')).toMatchObject({
      lines: { start: 7, end: 7 },
      freshness: { state: 'drifted', changed: ['text'] },
    })
  })

  it('orphaned: none is left', async () => {
    await using test = await annotatedLines()
    test.commit('two', { 'a.toml': '[server]\nport = 1\n' })
    expect(await region(test, 'a.toml')).toMatchObject({ freshness: { state: 'orphaned' } })
  })

  it('lines that the annotated commit did not write are followed too', async () => {
    await using test = await setupCode()
    test.commit('one', { 'a.toml': TOML })
    test.commit('two', { 'b.txt': '' })
    await test.annotate({
      summary: 'Learned later: the port is fixed',
      regions: [
        { file: 'a.toml', lines: '2:2', kind: 'gotcha', intent: 'The firewall knows this port' },
      ],
    })
    test.commit('three', { 'a.toml': `# Top\n${TOML}` })
    expect(await region(test, 'a.toml')).toMatchObject({
      kind: 'gotcha',
      lines: { start: 3, end: 3 },
      freshness: { state: 'fresh', commits_since: 1 },
    })
  })
})

describe('notes that somebody else wrote', () => {
  it('a pretty-printed record without hashes is checked against the commit it belongs to', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { [FILE]: CLIENT })
    const record = {
      schema: 'ultragit/v1',
      commit,
      timestamp: '2026-01-01T00:00:00Z',
      summary: 'An older tool wrote this',
      context_level: 'inferred',
      regions: [
        {
          file: FILE,
          ast_anchor: { unit_type: 'method', name: 'Client::connect' },
          lines: { start: 6, end: 8 },
          intent: 'Connects',
          'x-mood': 'fine',
        },
      ],
      'x-tool': 7,
    }
    test.git('notes', '--ref', 'ultragit', 'add', '-m', JSON.stringify(record, null, 2), commit)
    expect(await region(test)).toMatchObject({ intent: 'Connects', freshness: { state: 'fresh' } })
    test.commit('two', { [FILE]: CLIENT.replace('this.url, retries', 'this.url') })
    expect(await region(test)).toMatchObject({ freshness: { state: 'drifted', changed: ['body'] } })
  })

  it('of a commit that is not in this clone nothing is told that cannot be compared', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    const absent = 'd'.repeat(40)
    const record = {
      $schema: 'ultragit/v1',
      timestamp: '2026-01-01T00:00:00Z',
      summary: 'Written in a clone far away',
      regions: [
        { file: FILE, ast_anchor: { type: 'method', name: 'Client.connect' }, intent: 'far' },
      ],
    }
    const { updateNotes } = await import('../../../src/annotation/notes/write-notes.ts')
    await updateNotes(test.repository, {
      ref: 'refs/notes/waymark',
      edits: new Map([[toCommitId(absent), () => `${JSON.stringify(record)}\n`]]),
      author: 'x',
      message: 'x',
      at: 0,
    })
    expect(await region(test)).toBeUndefined()
  })
})
