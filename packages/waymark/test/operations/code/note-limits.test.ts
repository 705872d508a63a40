import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { updateNotes } from '../../../src/annotation/notes/write-notes.ts'
import { importAnnotations } from '../../../src/annotation/write/exchange.ts'
import { type CodeSetup, setupCode } from './code-setup.ts'
import type { CommitId } from '../../../src/git/history/commit-id.ts'

const FILE = 'file.ts'

function record(id: string): object {
  const regions = [{ file: FILE, intent: `what ${id} is for` }]
  return { $schema: 'ultragit/v1', id, summary: `What ${id} says`, regions }
}

async function put({ repository }: CodeSetup, commit: CommitId, body: string): Promise<void> {
  const edits = new Map([[commit, () => body]])
  const ref = 'refs/notes/waymark'
  await updateNotes(repository, { ref, edits, author: 'x', message: 'x', at: 0 })
}

/** On a busy machine the first answer may be incomplete, and says so. */
async function countAll(test: CodeSetup): Promise<number> {
  for (;;) {
    const { stats, notes = [] } = await test.read({ path: FILE, max_regions: 1 })
    if (!notes.some((note) => note.includes('still being traced'))) return stats.annotations_found
  }
}

describe('the note of one commit', () => {
  it('that is full is not written to: the annotation is refused, and those that are there stay', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { [FILE]: 'export const x = 1\n' })
    const full = Array.from({ length: 5_000 }, (_, at) => JSON.stringify(record(`r${at}`)))
    await put(test, commit, `${full.join('\n')}\n`)
    const tip = test.git('rev-parse', 'refs/notes/waymark')
    await expect(test.annotate({ summary: 'one too many' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/note of this commit is full.*annotate another commit/),
    })
    expect(test.git('rev-parse', 'refs/notes/waymark')).toBe(tip)
    test.commit('two')
    await test.annotate({ summary: 'Said of another commit' })
    expect(await countAll(test)).toBe(5_000)
  })

  it('is read without the annotations in it that are longer than any that is written', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { [FILE]: 'export const x = 1\n' })
    const records = [
      record('good'),
      { ...record('long'), summary: 'x'.repeat(100_001) },
      { ...record('named'), author: 'x'.repeat(4_097) },
      { ...record('listed'), tags: Array.from({ length: 2_001 }, () => 'x') },
    ]
    await put(test, commit, records.map((each) => `${JSON.stringify(each)}\n`).join(''))
    expect(await countAll(test)).toBe(1)
  })

  it('is never made larger than what is read', async () => {
    await using test = await setupCode()
    const commit = test.commit('one')
    await expect(put(test, commit, 'x'.repeat(5 * 1024 * 1024))).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'note_full', commit },
    })
  })
})

it('an import has no such limit: it is for many commits', async () => {
  await using test = await setupCode()
  test.commit('one', { [FILE]: 'export const x = 1\n' })
  const lines = Array.from({ length: 6_000 }, (_, at) => {
    const commit_sha = at.toString(16).padStart(40, '0')
    return JSON.stringify({ commit_sha, annotation: record(`r${at}`) })
  })
  const content = lines.join('\n')
  const input = { content, dry_run: true, force: true }
  expect(await execute(test.context, importAnnotations, input)).toMatchObject({ imported: 6_000 })
})
