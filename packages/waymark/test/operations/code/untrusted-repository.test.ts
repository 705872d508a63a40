import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/execute.ts'
import { setContext } from '../../../src/operations/code/pending.ts'
import { repairAnnotations } from '../../../src/operations/code/repair.ts'
import { annotationStatus } from '../../../src/operations/code/status.ts'
import { summariseCode } from '../../../src/operations/code/summary.ts'
import { verifyAnnotations } from '../../../src/operations/code/verify.ts'
import { whyCode } from '../../../src/operations/code/why.ts'
import { useRepository } from '../../git/repository.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'

function set(test: CodeSetup, key: string, value: string): void {
  test.git('config', key, value)
}

/** Git takes no notice of the case of a key, but for what stands between the dots. */
function inMixedCase(key: string): string {
  const [section = '', ...rest] = key.split('.')
  const name = rest.pop() ?? ''
  const mix = (text: string) =>
    text.replaceAll(/../g, ([one = '', two = '']) => one.toUpperCase() + two.toLowerCase())
  return [mix(section), ...rest, mix(name)].join('.')
}

describe('a repository that wants to run something', () => {
  it.each([
    ['written as usual', (test: CodeSetup, key: string, value: string) => set(test, key, value)],
    [
      'written in mixed case',
      (test: CodeSetup, key: string, value: string) => set(test, inMixedCase(key), value),
    ],
    [
      'in a file that is included',
      (test: CodeSetup, key: string, value: string) => {
        set(test, 'include.path', 'more')
        test.git('config', '--file', join(test.directory, '.git', 'more'), key, value)
      },
    ],
  ])('runs nothing, whatever its settings say, %s', async (_, plant) => {
    await using test = await setupCode()
    const canary = join(test.directory, '.git', 'canary')
    const program = join(test.directory, '.git', 'evil')
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${canary}'\ncat\n`)
    chmodSync(program, 0o755)
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'A client that retries',
      regions: [{ file: FILE, anchor: 'connect', intent: 'why it is so' }],
    })
    test.commit('two', {
      [FILE]: CLIENT.replace('retries)', '3)'),
      '.gitattributes': '*.ts diff=evil filter=evil\n',
    })
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'core.editor',
      'core.sshCommand',
      'diff.external',
      'diff.evil.textconv',
      'diff.evil.command',
      'filter.evil.clean',
      'filter.evil.smudge',
      'gpg.program',
      'credential.helper',
      'core.askPass',
      'core.alternateRefsCommand',
      'gc.recentObjectsHook',
      'sequence.editor',
      'merge.evil.driver',
      'alias.log',
      'pager.log',
    ]) {
      plant(test, key, program)
    }
    plant(test, 'log.showSignature', 'true')
    const hooks = join(test.directory, '.git', 'evil-hooks')
    mkdirSync(hooks)
    for (const name of ['post-commit', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(hooks, name), `#!/bin/sh\necho hook >> '${canary}'\n`)
      chmodSync(join(hooks, name), 0o755)
    }
    plant(test, 'core.hooksPath', hooks)
    await test.read({ path: FILE })
    await test.annotate({
      summary: 'Another word on this',
      regions: [{ file: FILE, anchor: 'parse', intent: 'numbers' }],
    })
    await execute(test.context, whyCode, { path: FILE })
    await execute(test.context, summariseCode, { path: 'src' })
    await execute(test.context, verifyAnnotations, {})
    await execute(test.context, repairAnnotations, {})
    await execute(test.context, annotationStatus, {})
    expect(existsSync(canary)).toBe(false)
  })

  it('a hook in its settings that moving a ref would run is refused, and named with the remedy', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    set(test, 'hook.lint.event', 'pre-commit')
    test.git('config', '--add', 'hook.lint.event', 'pre-push')
    set(test, 'hook.lint.command', 'lint')
    const annotate = () => test.annotate({ summary: 'A client that retries' })
    await annotate()
    const notes = test.git('rev-parse', 'refs/notes/waymark')
    await using other = useRepository(test.directory)
    set(test, 'HOOK.a.b.EVENT', 'reference-transaction')
    set(test, 'Hook.a.b.Command', 'evil')
    for (const args of [
      ['update-ref', 'refs/notes/x', 'HEAD'],
      ['-c', 'core.fsync=all', 'fast-import'],
    ]) {
      await expect(other.repository.run(args)).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('waymark.trustedRepository') as string,
        details: { reason: 'untrusted_setting', key: 'hook.a.b.command' },
      })
    }
    expect(test.git('rev-parse', 'refs/notes/waymark')).toBe(notes)
    expect((await test.read({ path: FILE })).$schema).toBe('ultragit-read/v1')
    test.git('config', '--unset', 'hook.a.b.event')
    await annotate()
  })

  it('what looks like an option or a pathspec is a name like any other', async () => {
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

  it('a link out of the repository is not followed', async () => {
    await using test = await setupCode()
    symlinkSync('/etc/hostname', join(test.directory, 'link.ts'))
    symlinkSync('/etc', join(test.directory, 'folder'))
    test.commit('one', { [FILE]: CLIENT })
    const { showCode } = await import('../../../src/operations/code/show.ts')
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
