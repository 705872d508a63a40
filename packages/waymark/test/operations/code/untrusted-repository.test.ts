import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { showBrief } from '../../../src/brief/operations.ts'
import { setContext } from '../../../src/annotation/write/pending.ts'
import { repairAnnotations } from '../../../src/annotation/rewrite/repair.ts'
import { annotationStatus } from '../../../src/annotation/write/status.ts'
import { summariseCode } from '../../../src/annotation/summary/summary.ts'
import { verifyAnnotations } from '../../../src/annotation/rewrite/verify.ts'
import { compareDrift } from '../../../src/annotation/drift/drift.ts'
import { reanchorReason } from '../../../src/annotation/drift/reanchor.ts'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { addHook } from '../../../src/hook/operations.ts'
import { runSync } from '../../../src/sync/operations.ts'
import { allSettings, ATTRIBUTES, plantProgram, WAYS } from '../../git/untrusted/planted.ts'
import { CLIENT, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'

describe('a repository that wants to run something', () => {
  it.each(Object.entries(WAYS))(
    'runs nothing, whatever its settings say, %s [untrusted-repository-runs-nothing]',
    async (_, plant) => {
      await using test = await setupCode()
      test.commit('one', { [FILE]: CLIENT })
      await test.annotate({
        summary: 'A client that retries',
        regions: [{ file: FILE, anchor: 'connect', intent: 'why it is so' }],
      })
      const changed = CLIENT.replace('retries)', '3)')
      test.commit('two', {
        [FILE]: changed,
        'a.0': 'x\n',
        'a.1': 'x\n',
        '.gitattributes': ATTRIBUTES,
      })
      test.write({ 'a.0': 'y\n', 'a.1': 'y\n' })
      const gitDir = join(test.directory, '.git')
      const { program, calls } = plantProgram(gitDir)
      plant(gitDir, allSettings(program))
      await test.read({ path: FILE })
      await test.annotate({
        summary: 'Another word on this',
        regions: [{ file: FILE, anchor: 'parse', intent: 'numbers' }],
      })
      for (const path of [FILE, 'a.0', 'a.1']) await execute(test.context, whyCode, { path })
      const reason = { path: FILE, anchor: 'Client.connect' }
      await execute(test.context, compareDrift, reason)
      await execute(test.context, reanchorReason, reason)
      await execute(test.context, summariseCode, { path: 'src' })
      await execute(test.context, verifyAnnotations, {})
      await execute(test.context, repairAnnotations, {})
      await execute(test.context, annotationStatus, {})
      await execute(test.context, showBrief, { paths: [FILE] })
      await execute(test.context, addHook, {})
      await execute(test.context, runSync, {})
      expect(calls()).toBe('')
    },
  )

  it('a submodule that wants to run something runs nothing either [untrusted-repository-submodule-wants]', async () => {
    await using test = await setupCode()
    const part = join(test.directory, 'part')
    test.git('init', '--quiet', part)
    test.write({ 'part/a.ts': 'x\n', 'part/.gitattributes': '* filter=planted\n' })
    test.git('-C', part, 'add', '.')
    test.git('-C', part, 'commit', '--quiet', '--message', 'one')
    test.commit('two', { [FILE]: CLIENT })
    const gitDir = join(part, '.git')
    const { program, calls } = plantProgram(gitDir)
    WAYS['written as usual']?.(gitDir, [
      { section: 'core', name: 'fsmonitor', value: program },
      { section: 'filter', subsection: 'planted', name: 'clean', value: program },
    ])
    // Its size is the same, so that git has to read it to know whether it has changed.
    test.write({ 'part/a.ts': 'y\n' })
    expect(test.git('ls-files', '--stage', 'part')).toMatch(/^160000/)
    await execute(test.context, showBrief, {})
    await test.read({ path: FILE })
    await test.annotate({ summary: 'A client that retries' })
    await execute(test.context, runSync, {})
    expect(calls()).toBe('')
  })

  it('what looks like an option or a pathspec is a name like any other [untrusted-repository-looks-like]', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT, ':(top)x': 'x\n' })
    for (const path of [
      '--output=pwned',
      '-x',
      ':!x',
      '@{-1}',
      'HEAD',
      'a'.repeat(5000),
      'x\ny',
      '..%2f..',
      '/etc/passwd',
    ]) {
      await expect(test.read({ path })).rejects.toMatchObject({ name: 'Failure' })
    }
    expect(await test.read({ path: ':(top)x' })).toMatchObject({ query: { file: ':(top)x' } })
    for (const commit of ['--output=pwned', '-x', 'HEAD:src', 'HEAD; rm', '@{-1}']) {
      await expect(test.annotate({ commit, summary: 'x' })).rejects.toMatchObject({
        name: 'Failure',
      })
    }
    expect(existsSync(join(test.directory, 'pwned'))).toBe(false)
  })

  it('a revision that makes git end is one that is not there, and disturbs nobody', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { [FILE]: CLIENT })
    const reflogs = ['@{u}', 'HEAD@{99}', '^HEAD@{0}', 'main@{push}', 'nowhere@{u}']
    for (const revision of [...reflogs, 'HEAD:../x']) {
      const [refused, read] = await Promise.allSettled([
        test.annotate({ commit: revision, summary: 'A client that retries' }),
        test.read({ path: FILE }),
      ])
      expect(refused).toMatchObject({ reason: { code: 'not_found', details: { field: 'commit' } } })
      expect(read.status).toBe('fulfilled')
    }
    const summary = 'A client that retries'
    expect(await test.annotate({ commit: 'HEAD@{0}', summary })).toMatchObject({ commit })
  })

  it('a file that no annotation can name keeps what was said of the others from being lost', async () => {
    await using test = await setupCode()
    await execute(test.context, setContext, { reasoning: 'the broker forgets' })
    test.write({ [FILE]: CLIENT, 'lib/.waymark/state/x.txt': 'x\n' })
    test.git('add', '--all', '--force', 'lib')
    const commit = test.commit('Add a client that retries')
    expect(test.git('ls-files')).toContain('lib/.waymark/state/x.txt')
    await test.annotate({ auto: true })
    const { regions } = await test.read({ path: FILE })
    expect(regions).toMatchObject([{ commit, reasoning: 'the broker forgets' }])
  })

  it('a link out of the repository is not followed [untrusted-repository-link-out]', async () => {
    await using test = await setupCode()
    symlinkSync('/etc/hostname', join(test.directory, 'link.ts'))
    symlinkSync('/etc', join(test.directory, 'folder'))
    test.commit('one', { [FILE]: CLIENT })
    const { showCode } = await import('../../../src/annotation/read/margin.ts')
    expect((await execute(test.context, showCode, { path: 'link.ts' })).lines).toEqual([
      '/etc/hostname',
    ])
    await expect(
      execute(test.context, showCode, { path: 'folder/hostname' }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('a notes ref in the settings cannot be a branch', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    for (const ref of [
      'refs/heads/main',
      'refs/notes/../heads/main',
      'refs/notes/x.lock',
      `refs/notes/${'a'.repeat(5000)}!`,
    ]) {
      test.git('config', 'ultragit.noteref', ref)
      await expect(test.annotate({ summary: 'x' })).rejects.toMatchObject({
        details: { field: 'noteref' },
      })
    }
  })
})
