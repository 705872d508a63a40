import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { runHook } from '../../../src/hook/run-hook.ts'
import { carryAnnotations, repairAnnotations } from '../../../src/annotation/rewrite/repair.ts'
import { verifyAnnotations } from '../../../src/annotation/rewrite/verify.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'
import { toCommitId } from '../../../src/git/history/commit-id.ts'

const FILE = 'src/client.ts'
const functionNamed = (name: string, body = 'return 1') =>
  `export function ${name}(): number {\n  ${body}\n}\n`

/** A commit that adds a file with one function, and its annotation. */
async function add(test: CodeSetup, name: string) {
  const commit = test.commit(`Add ${name}`, { [`${name}.ts`]: functionNamed(name) })
  const { record } = await test.annotate({
    summary: `The reason for ${name} as it is`,
    regions: [{ file: `${name}.ts`, anchor: name, intent: `why ${name}` }],
  })
  return { commit, record }
}

const repair = (test: CodeSetup, input: object = {}) =>
  execute(test.context, repairAnnotations, input)
const verify = (test: CodeSetup) => execute(test.context, verifyAnnotations, {})
const head = (test: CodeSetup) => test.git('rev-parse', 'HEAD').trim()
/** The commits that the annotation of a file is told for. */
const told = async (test: CodeSetup, path: string) =>
  (await test.read({ path })).regions.map(({ commit, reattached }) => ({ commit, reattached }))

describe('annotations survive what becomes of their commits', () => {
  it('amend: found again by the same change [survival-amend-found]', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    const { commit, record } = await add(test, 'one')
    test.git('commit', '--quiet', '--amend', '-m', 'Add one, said better')
    expect(await verify(test)).toMatchObject({
      commits: { annotated: 1, here: 0, unreachable: 1 },
      problems: [{ problem: 'unreachable', commit, record }],
    })
    expect(await repair(test)).toMatchObject({
      carried: [{ record, from: commit, to: head(test), how: 'patch_id', operation: 'rebase' }],
      ambiguous: [],
      unmatched: [],
    })
    expect(await told(test, 'one.ts')).toEqual([{ commit: head(test) }])
    expect(await verify(test)).toMatchObject({ problems: [], commits: { here: 1, unreachable: 1 } })
    expect((await repair(test)).carried).toEqual([])
  })

  it('amend that changes the annotated function again: found in the reflog', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    const { commit, record } = await add(test, 'one')
    for (const body of ['return 1 + 1', 'return 2 + 2']) {
      test.write({ 'one.ts': functionNamed('one', body) })
      test.git('commit', '--quiet', '--all', '--amend', '--reset-author', '-m', body)
    }
    expect((await repair(test)).carried).toEqual([
      { record, from: commit, to: head(test), how: 'reflog', operation: 'amend' },
    ])
    expect(await told(test, 'one.ts')).toEqual([{ commit: head(test) }])
  })

  it('cherry-pick with a conflict: found by author, time and subject', async () => {
    await using test = await setupCode()
    test.commit('base', { 'one.ts': functionNamed('one') })
    test.git('checkout', '--quiet', '-b', 'other')
    const commit = test.commit('Two', { 'one.ts': functionNamed('one', 'return 2') })
    const { record } = await test.annotate({
      summary: 'The reason for two instead of one',
      regions: [{ file: 'one.ts', anchor: 'one', intent: 'why two' }],
    })
    test.git('checkout', '--quiet', 'main')
    test.commit('Three', { 'one.ts': functionNamed('one', 'return 3') })
    expect(() => test.git('cherry-pick', commit)).toThrow()
    test.write({ 'one.ts': functionNamed('one', 'return 2 + 3') })
    test.git('add', '--all')
    test.git('-c', 'core.editor=true', 'cherry-pick', '--continue')
    expect((await repair(test)).carried).toEqual([
      { record, from: commit, to: head(test), how: 'authorship', operation: 'cherry_pick' },
    ])
    expect(await told(test, 'one.ts')).toEqual([{ commit: head(test) }])
  })

  it('a region with a path out of the repository keeps no other from being carried or read', async () => {
    await using test = await setupCode()
    const { commit } = await add(test, 'one')
    const planted = ['../x', 'a/../../x', 'a\nb'].map((file) => ({
      file,
      lines: { start: 1, end: 2 },
      intent: 'planted',
      semantic_dependencies: [{ file: 'one.ts', anchor: 'one', nature: 'counts on it' }],
    }))
    const note = { $schema: 'ultragit/v1', id: 'planted', summary: 'planted', regions: planted }
    test.git('notes', '--ref=waymark', 'append', '-m', JSON.stringify(note), commit)
    test.git('commit', '--quiet', '--amend', '-m', 'Add one, said better')
    const content = `${commit} ${head(test)}\n`
    const hook = await execute(test.context, runHook, {
      event: 'post-rewrite',
      kind: 'amend',
      content,
    })
    expect(hook).toEqual({ annotated: false, carried: 2 })
    const read = await test.read({ path: 'one.ts' })
    expect(read.regions).toMatchObject([{ commit: head(test), intent: 'why one' }])
    expect(read.dependencies_on_this).toHaveLength(3)
  })

  it('rebase: every commit of the branch, each to its own successor [survival-rebase-every]', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const one = await add(test, 'one')
    const two = await add(test, 'two')
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { 'y.txt': 'y\n' })
    test.git('rebase', '--quiet', 'main', 'feature')
    const rebased = [test.git('rev-parse', 'HEAD~1').trim(), head(test)]
    const { carried } = await repair(test)
    expect(
      carried.map(({ record, to }) => ({ record, to })).toSorted((a, b) => (a.to < b.to ? -1 : 1)),
    ).toEqual(
      [
        { record: one.record, to: rebased[0] },
        { record: two.record, to: rebased[1] },
      ].toSorted((a, b) => ((a.to ?? '') < (b.to ?? '') ? -1 : 1)),
    )
    expect(await told(test, 'one.ts')).toEqual([{ commit: rebased[0] }])
    expect(await told(test, 'two.ts')).toEqual([{ commit: rebased[1] }])
  })

  it('a commit that only a detached working tree has is not lost', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    test.git('checkout', '--quiet', '--detach')
    const { commit } = await add(test, 'one')
    const tree = `${test.directory}-detached`
    test.git('worktree', 'add', '--quiet', '--detach', tree)
    test.git('checkout', '--quiet', 'main')
    expect(await verify(test)).toMatchObject({
      commits: { elsewhere: 1, unreachable: 0 },
      problems: [],
    })
    test.git('worktree', 'remove', '--force', tree)
    expect(await verify(test)).toMatchObject({ problems: [{ problem: 'unreachable', commit }] })
  })

  it('squash on the server: the branch as a whole is one commit there [survival-squash-server]', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const one = await add(test, 'one')
    const two = await add(test, 'two')
    test.git('checkout', '--quiet', 'main')
    test.git('merge', '--quiet', '--squash', 'feature')
    const squashed = test.commit('Feature (#12)')
    test.commit('later', { 'z.txt': 'z\n' })
    // Before anything is repaired, the very same code is recognised when it is read.
    expect(await told(test, 'one.ts')).toEqual([{ commit: one.commit, reattached: true }])
    const { carried } = await repair(test)
    expect(carried).toMatchObject([
      { to: squashed, operation: 'squash' },
      { to: squashed, operation: 'squash' },
    ])
    expect(carried.map(({ record }) => record).toSorted()).toEqual(
      [one.record, two.record].toSorted(),
    )
    expect(await told(test, 'one.ts')).toEqual([{ commit: squashed }])
    expect((await test.read({ path: 'one.ts' })).regions[0]).toMatchObject({
      provenance: { operation: 'squash', derived_from: [one.commit] },
      freshness: { state: 'fresh' },
    })
  })

  it('squash with the branch deleted and other changes mixed in: matched by content', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const { record } = await add(test, 'one')
    test.git('checkout', '--quiet', 'main')
    test.git('branch', '--quiet', '-D', 'feature')
    const squashed = test.commit('Feature and more (#13)', {
      'one.ts': `// Reviewed\n${functionNamed('one')}`,
      'more.ts': functionNamed('more'),
    })
    expect(await repair(test)).toMatchObject({
      carried: [{ record, to: squashed, how: 'content', operation: 'squash' }],
    })
    expect((await test.read({ path: 'one.ts' })).regions[0]).toMatchObject({
      commit: squashed,
      lines: { start: 2, end: 4 },
      freshness: { state: 'fresh' },
    })
  })

  it('cherry-pick: the commit on this branch gets what the one on the other has [survival-cherry-pick]', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const { commit, record } = await add(test, 'one')
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { 'y.txt': 'y\n' })
    test.git('cherry-pick', commit)
    expect(await repair(test)).toMatchObject({
      carried: [{ record, from: commit, to: head(test), operation: 'cherry_pick' }],
    })
    expect(await told(test, 'one.ts')).toEqual([{ commit: head(test) }])
  })

  it('git mv, then edits, then another mv: told under the newest name [survival-git-mv]', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'A client that retries on its own',
      regions: [{ file: FILE, anchor: 'Client.connect', intent: 'Dial with bounded retries' }],
    })
    test.git('mv', FILE, 'src/connection.ts')
    test.commit('two')
    test.commit('three', {
      'src/connection.ts': CLIENT.replace('text.trim', 'text.trim') + '// end\n',
    })
    test.git('mv', 'src/connection.ts', 'link.ts')
    test.commit('four')
    expect((await test.read({ path: 'link.ts', anchor: 'connect' })).regions[0]).toMatchObject({
      file: 'link.ts',
      freshness: { state: 'moved', changed: ['file'], was: { file: FILE } },
    })
    expect(await verify(test)).toMatchObject({
      regions: { moved: 1, orphaned: 0 },
      problems: [{ problem: 'moved', file: FILE, now: 'link.ts:Client.connect' }],
    })
  })

  it('the same change twice is ambiguous: nothing is chosen, and it is said [survival-same-change]', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const { commit, record } = await add(test, 'one')
    test.git('checkout', '--quiet', 'main')
    test.git('branch', '--quiet', '-D', 'feature')
    const first = test.commit('Again', { 'one.ts': functionNamed('one') })
    test.git('revert', '--no-edit', first)
    const second = test.commit('And again', { 'one.ts': functionNamed('one') })
    const report = await repair(test)
    expect(report.carried).toEqual([])
    expect(report.ambiguous).toEqual([
      { record, commit, candidates: expect.arrayContaining([first, second]) as string[] },
    ])
  })

  it('annotations are found however many commits are asked for', async () => {
    await using test = await setupCode()
    const { commit, record } = await add(test, 'one')
    const many = Array.from({ length: 40_000 }, (_, at) =>
      toCommitId(at.toString(16).padStart(40, '0')),
    )
    const { annotations } = test.context.store
    const rows = await annotations.ofCommits(['refs/notes/waymark'], [...many, commit])
    expect(rows.map((row) => row.record.id)).toEqual([record])
  })

  it('what comes from nothing in this history is reported, with its files', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    const { commit, record } = await add(test, 'one')
    test.git('reset', '--quiet', '--hard', 'HEAD~1')
    test.commit('Something else', { 'two.ts': functionNamed('two') })
    expect(await repair(test)).toMatchObject({
      carried: [],
      unmatched: [{ record, commit, files: ['one.ts'] }],
    })
  })

  it('an annotation of code that was there before is not given to the commit that brought the code', async () => {
    await using test = await setupCode()
    test.commit('base', { 'old.ts': functionNamed('old') })
    test.git('checkout', '--quiet', '-b', 'feature')
    test.commit('Touch something', { 'x.txt': 'x\n' })
    await test.annotate({
      summary: 'Learned something about old code',
      regions: [{ file: 'old.ts', anchor: 'old', kind: 'gotcha', intent: 'never call it twice' }],
    })
    test.git('checkout', '--quiet', 'main')
    test.git('branch', '--quiet', '-D', 'feature')
    test.commit('Other work', { 'y.txt': 'y\n' })
    const report = await repair(test)
    expect(report.carried).toEqual([])
    expect(report.unmatched).toHaveLength(1)
    expect((await test.read({ path: 'old.ts' })).regions[0]).toMatchObject({ reattached: true })
  })

  it('a dry run says what would be done and does nothing', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    await add(test, 'one')
    test.git('commit', '--quiet', '--amend', '-m', 'Other words')
    const notes = test.git('rev-parse', 'refs/notes/waymark')
    expect((await repair(test, { dry_run: true })).carried).toHaveLength(1)
    expect(test.git('rev-parse', 'refs/notes/waymark')).toBe(notes)
  })

  it('annotations are given to a commit by hand, as a job on a server does after a squash', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': 'x\n' })
    const one = await add(test, 'one')
    const two = await add(test, 'two')
    test.git('reset', '--quiet', '--soft', 'HEAD~2')
    const squashed = test.commit('Both', { 'one.ts': functionNamed('one', 'return 2') })
    const { carried } = await execute(test.context, carryAnnotations, {
      to: 'HEAD',
      from: [one.commit, two.commit],
    })
    expect(carried).toHaveLength(2)
    expect((await test.read({ path: 'one.ts' })).regions[0]).toMatchObject({
      commit: squashed,
      freshness: { state: 'drifted', changed: ['body'] },
    })
  })
})
