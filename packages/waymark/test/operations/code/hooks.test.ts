import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { addBlock, removeBlock } from '../../../src/git/hooks/block.ts'
import {
  installCodeHooks as installHooks,
  showHooks,
  uninstallCodeHooks as uninstallHooks,
} from '../../../src/hook/operations.ts'
import { addStagedNote, setContext } from '../../../src/annotation/write/pending.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'
import { commitByHand, hooked } from './hooked-setup.ts'

const FILE = 'src/client.ts'

const told = async (test: CodeSetup, path = FILE) =>
  (await test.read({ path })).regions.map(({ commit, provenance }) => ({
    commit,
    operation: provenance?.operation ?? 'initial',
  }))
const head = (test: CodeSetup) => test.git('rev-parse', 'HEAD').trim()
const annotate = (test: CodeSetup, file = FILE, commit = 'HEAD') =>
  test.annotate({
    commit,
    summary: 'A client that retries on its own',
    regions: [{ file, intent: 'why it is so' }],
  })

/** Two branches that say different things about `a.txt`. */
async function diverge() {
  const test = await hooked()
  test.commit('base', { 'a.txt': 'base\n' })
  test.git('checkout', '--quiet', '-b', 'other')
  const theirs = test.commit('theirs', { 'a.txt': 'theirs\n' })
  test.git('checkout', '--quiet', 'main')
  const ours = test.commit('ours', { 'a.txt': 'ours\n' })
  const resolve = () => {
    test.write({ 'a.txt': 'resolved\n' })
    test.git('add', '--all')
  }
  return { test, theirs, ours, resolve }
}

describe('hooks take annotations along', () => {
  it('post-commit: what was said before is in the annotation of the commit', async () => {
    await using test = await hooked()
    await execute(test.context, setContext, { reasoning: 'the broker forgets' })
    test.write({ [FILE]: CLIENT })
    test.shell('add', '--all')
    test.shell('commit', '--quiet', '-m', 'Add a client that retries')
    expect((await test.read({ path: FILE })).regions[0]).toMatchObject({
      commit: head(test),
      intent: 'Add a client that retries',
      reasoning: 'the broker forgets',
    })
  })

  it('amend: the new commit has the annotations of the old one [hooks-amend-new]', async () => {
    await using test = await hooked()
    test.commit('one', { [FILE]: CLIENT })
    await annotate(test)
    test.write({ [FILE]: `${CLIENT}// end\n` })
    test.shell('commit', '--quiet', '--all', '--amend', '-m', 'one, again')
    expect(await told(test)).toEqual([{ commit: head(test), operation: 'amend' }])
  })

  it('rebase: each commit keeps its own; squashed ones share theirs [hooks-rebase-keeps]', async () => {
    await using test = await hooked()
    test.commit('base', { 'x.txt': '' })
    test.git('checkout', '--quiet', '-b', 'feature')
    test.commit('one', { 'a.ts': 'export const a = 1\n' })
    await annotate(test, 'a.ts')
    test.commit('fixup! one', { 'b.ts': 'export const b = 1\n' })
    await annotate(test, 'b.ts')
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { 'y.txt': '' })
    test.git('checkout', '--quiet', 'feature')
    test.shell(
      '-c',
      'sequence.editor=true',
      'rebase',
      '--quiet',
      '--interactive',
      '--autosquash',
      'main',
    )
    // Git tells of the fixup as an amend on the way and as part of the rebase at the end; either is true.
    const rewritten = expect.stringMatching(/^(amend|squash)$/) as string
    expect(await told(test, 'a.ts')).toEqual([{ commit: head(test), operation: rewritten }])
    expect(await told(test, 'b.ts')).toEqual([{ commit: head(test), operation: rewritten }])
  })

  it('rebase: what a commit keeps is told to come from the rebase, not from a cherry-pick', async () => {
    await using test = await hooked()
    test.commit('base', { 'x.txt': '' })
    test.git('checkout', '--quiet', '-b', 'feature')
    test.commit('one', { 'a.ts': 'export const a = 1\n' })
    await annotate(test, 'a.ts')
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { 'y.txt': '' })
    test.shell('rebase', '--quiet', 'main', 'feature')
    expect(await told(test, 'a.ts')).toEqual([{ commit: head(test), operation: 'rebase' }])
  })

  it('merge --squash: the commit gets what its sources had; one that was given up gives nothing to the next [hooks-squash-gets]', async () => {
    await using test = await hooked()
    test.commit('base', { 'x.txt': '' })
    test.git('checkout', '--quiet', '-b', 'feature')
    test.commit('one', { 'a.ts': 'export const a = 1\n' })
    await annotate(test, 'a.ts')
    test.git('checkout', '--quiet', 'main')
    test.shell('merge', '--quiet', '--squash', 'feature')
    expect(() => test.shell('commit', '--quiet', '-m', '')).toThrow()
    test.shell('reset', '--quiet', '--hard')
    test.write({ 'x.txt': 'something else\n' })
    test.shell('commit', '--quiet', '--all', '-m', 'something else')
    expect(() => test.git('notes', '--ref', 'waymark', 'show')).toThrow()
    test.shell('merge', '--quiet', '--squash', 'feature')
    test.shell('commit', '--quiet', '-m', 'Feature')
    expect(await told(test, 'a.ts')).toEqual([{ commit: head(test), operation: 'squash' }])
  })

  it('merge --squash: a commit without a message gets what its sources had, whatever was said for it', async () => {
    await using test = await hooked()
    test.commit('base', { 'x.txt': '' })
    test.git('checkout', '--quiet', '-b', 'feature')
    test.commit('one', { 'a.ts': 'export const a = 1\n' })
    await annotate(test, 'a.ts')
    test.git('checkout', '--quiet', 'main')
    await execute(test.context, addStagedNote, { text: 'the broker forgets' })
    test.shell('merge', '--quiet', '--squash', 'feature')
    test.shell('commit', '--quiet', '--allow-empty-message', '-m', '')
    expect(await told(test, 'a.ts')).toEqual([{ commit: head(test), operation: 'squash' }])
  })

  it('cherry-pick: the pick gets what the original had [hooks-pick-gets]', async () => {
    await using test = await hooked()
    test.commit('base', { 'x.txt': '' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const one = test.commit('one', { 'a.ts': 'export const a = 1\n' })
    await annotate(test, 'a.ts')
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { 'y.txt': '' })
    test.shell('cherry-pick', '-x', one)
    expect(await told(test, 'a.ts')).toEqual([{ commit: head(test), operation: 'cherry_pick' }])
  })

  it('what was said for the next commit is not given to one that a rebase or a cherry-pick makes again', async () => {
    await using test = await hooked()
    test.commit('base', { 'x.txt': '' })
    test.git('checkout', '--quiet', '-b', 'feature')
    const old = test.commit('old', { 'a.ts': 'export const a = 1\n' })
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { 'y.txt': '' })
    await execute(test.context, setContext, { summary: 'What comes next' })
    test.shell('cherry-pick', old)
    test.shell('reset', '--quiet', '--hard', 'HEAD~1')
    test.shell('rebase', '--quiet', 'main', 'feature')
    expect(await told(test, 'a.ts')).toEqual([])
    test.write({ 'b.ts': 'export const b = 1\n' })
    test.shell('add', '--all')
    test.shell('commit', '--quiet', '-m', 'next')
    expect(await told(test, 'b.ts')).toEqual([{ commit: head(test), operation: 'initial' }])
  })

  describe('what was said for the next commit', () => {
    const say = (test: CodeSetup) => execute(test.context, setContext, { reasoning: 'as said' })

    it('is kept by reverts and picks, however they are committed, and told of the next commit', async () => {
      const { test, theirs, ours, resolve } = await diverge()
      await using _ = test
      await say(test)
      test.shell('revert', '--no-edit', 'HEAD')
      test.shell('reset', '--quiet', '--hard', ours)
      expect(() => test.shell('cherry-pick', theirs)).toThrow()
      resolve()
      test.shell('commit', '--quiet', '--no-edit')
      test.shell('reset', '--quiet', '--hard', ours)
      expect(() => test.shell('revert', '--no-edit', 'HEAD~1')).toThrow()
      resolve()
      test.shell('commit', '--quiet', '--no-edit')
      expect(await told(test, 'a.txt')).toEqual([])
      commitByHand(test, 'next')
      expect(await told(test, 'b.txt')).toEqual([{ commit: head(test), operation: 'initial' }])
    })

    it('is told of an amended commit, beside what was carried over to it', async () => {
      await using test = await hooked()
      test.commit('one', { [FILE]: CLIENT })
      await annotate(test)
      await say(test)
      test.write({ [FILE]: `${CLIENT}// end\n` })
      test.shell('commit', '--quiet', '--all', '--amend', '-m', 'one, again')
      expect((await told(test)).toSorted((a, b) => (a.operation < b.operation ? -1 : 1))).toEqual([
        { commit: head(test), operation: 'amend' },
        { commit: head(test), operation: 'initial' },
      ])
    })

    it('is told of a commit made by hand where a rebase stopped, not of what the rebase makes again', async () => {
      const { test, resolve } = await diverge()
      await using _ = test
      await say(test)
      expect(() => test.shell('rebase', '--quiet', 'other')).toThrow()
      resolve()
      test.shell('commit', '--quiet', '--no-edit')
      expect(await told(test, 'a.txt')).toEqual([])
      commitByHand(test, 'by hand')
      const made = head(test)
      test.shell('rebase', '--continue')
      expect(await told(test, 'b.txt')).toEqual([{ commit: made, operation: 'initial' }])
    })

    it('is handled with care where git keeps no log of HEAD', async () => {
      const { test, theirs } = await diverge()
      await using _ = test
      test.git('config', 'core.logAllRefUpdates', 'false')
      rmSync(join(test.directory, '.git/logs'), { recursive: true })
      await say(test)
      test.shell('checkout', '--quiet', '--detach', 'HEAD~1')
      test.shell('cherry-pick', theirs)
      expect(await told(test, 'a.txt')).toEqual([])
      commitByHand(test, 'next')
      expect(await told(test, 'b.txt')).toEqual([{ commit: head(test), operation: 'initial' }])
    })
  })

  it('cherry-pick with a conflict: the pick gets what the original had; one that was given up gives nothing', async () => {
    const { test, theirs, resolve } = await diverge()
    await using _ = test
    await annotate(test, 'a.txt', theirs)
    const pick = () => {
      expect(() => test.shell('cherry-pick', theirs)).toThrow()
      resolve()
    }
    pick()
    expect(() => test.shell('commit', '--quiet', '-m', '')).toThrow()
    test.shell('cherry-pick', '--abort')
    test.write({ 'a.txt': 'something else\n' })
    test.shell('commit', '--quiet', '--all', '-m', 'something else')
    expect(await told(test, 'a.txt')).toEqual([])
    test.shell('reset', '--quiet', '--hard', 'HEAD~1')
    pick()
    test.shell('commit', '--quiet', '--no-edit')
    expect(await told(test, 'a.txt')).toEqual([{ commit: head(test), operation: 'cherry_pick' }])
  })

  it('cherry-pick: one that was given up gives nothing to the next pick, which gets what is its own', async () => {
    const { test, theirs, resolve } = await diverge()
    await using _ = test
    await annotate(test, 'a.txt', theirs)
    test.git('checkout', '--quiet', 'other')
    const next = test.commit('next', { 'b.txt': 'b\n' })
    await annotate(test, 'b.txt')
    test.git('checkout', '--quiet', 'main')
    expect(() => test.shell('cherry-pick', theirs)).toThrow()
    resolve()
    expect(() => test.shell('commit', '--quiet', '-m', '')).toThrow()
    test.shell('cherry-pick', '--abort')
    test.shell('cherry-pick', next)
    expect(await told(test, 'a.txt')).toEqual([])
    expect(await told(test, 'b.txt')).toEqual([{ commit: head(test), operation: 'cherry_pick' }])
  })

  it('a commit is made even if waymark is not there or fails', async () => {
    await using test = await hooked()
    writeFileSync(join(test.directory, '.git/bin/waymark'), '#!/bin/sh\nexit 9\n')
    test.write({ 'a.txt': 'a\n' })
    test.shell('add', '--all')
    test.shell('commit', '--quiet', '-m', 'fine')
    expect(test.git('log', '-1', '--format=%s')).toBe('fine\n')
  })
})

describe('installing and uninstalling', () => {
  it('is exact: hooks that were there get back every byte and their permissions [hooks-exact-get]', async () => {
    await using test = await setupCode()
    const hook = (name: string) => join(test.directory, '.git/hooks', name)
    mkdirSync(join(test.directory, '.git/hooks'), { recursive: true })
    const before = {
      'post-commit': '#!/bin/bash\necho mine\nexit 0\n',
      'post-rewrite': '#!/bin/sh\nwhile read line; do echo "$line" >> .git/seen; done',
    }
    for (const [name, text] of Object.entries(before)) writeFileSync(hook(name), text)
    chmodSync(hook('post-commit'), 0o755)
    chmodSync(hook('post-rewrite'), 0o640)
    await execute(test.context, installHooks, {})
    const installed = readFileSync(hook('post-commit'), 'utf8')
    expect(await execute(test.context, installHooks, {})).toEqual({
      hooks: ['prepare-commit-msg', 'post-commit', 'post-rewrite'].map((name) => ({
        hook: name,
        state: 'installed',
      })),
    })
    expect(readFileSync(hook('post-commit'), 'utf8')).toBe(installed)
    await execute(test.context, uninstallHooks, {})
    for (const [name, text] of Object.entries(before))
      expect(readFileSync(hook(name), 'utf8')).toBe(text)
    expect(statSync(hook('post-commit')).mode & 0o777).toBe(0o755)
    expect(statSync(hook('post-rewrite')).mode & 0o777).toBe(0o640)
    expect(existsSync(hook('prepare-commit-msg'))).toBe(false)
  })

  it('lines of ours that another version wrote are renewed, and still taken out exactly', async () => {
    await using test = await setupCode()
    const file = join(test.directory, '.git/hooks/prepare-commit-msg')
    mkdirSync(join(test.directory, '.git/hooks'), { recursive: true })
    const mine = '#!/bin/sh\necho mine'
    writeFileSync(
      file,
      addBlock(mine, { label: 'annotations', body: 'echo older\necho lines', mode: '644' }),
    )
    await execute(test.context, installHooks, {})
    expect(readFileSync(file, 'utf8')).toContain('CHERRY_PICK_HEAD')
    expect(readFileSync(file, 'utf8')).not.toContain('older')
    await execute(test.context, uninstallHooks, {})
    expect(readFileSync(file, 'utf8')).toBe(mine)
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  it('a hook of somebody else still reads what git tells it', async () => {
    await using test = await setupCode()
    const file = join(test.directory, '.git/hooks/post-rewrite')
    mkdirSync(join(test.directory, '.git/hooks'), { recursive: true })
    writeFileSync(file, '#!/bin/sh\ncat > "$(git rev-parse --git-dir)/seen"\n')
    chmodSync(file, 0o755)
    await execute(test.context, installHooks, {})
    const one = test.commit('one', { 'a.txt': 'a\n' })
    test.git('commit', '--quiet', '--amend', '-m', 'two')
    expect(readFileSync(join(test.directory, '.git/seen'), 'utf8')).toBe(`${one} ${head(test)}\n`)
  })

  it('a folder of hooks in the home of the user is not taken for one of the repository', async () => {
    await using test = await setupCode()
    test.git('config', 'core.hooksPath', '~/.githooks')
    await expect(execute(test.context, installHooks, {})).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'hooks_elsewhere' },
    })
    expect(existsSync(join(test.directory, '~'))).toBe(false)
  })

  it('a folder of hooks for all repositories of the user is told by its scope', async () => {
    await using test = await setupCode()
    const file = join(test.directory, '.git', 'config-of-user')
    writeFileSync(file, '[core]\n\thooksPath = ~/.githooks\n')
    vi.stubEnv('GIT_CONFIG_GLOBAL', file)
    await expect(execute(test.context, installHooks, {})).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'hooks_elsewhere', scope: 'global' },
    })
    vi.unstubAllEnvs()
  })

  it('a hook that is no shell script is not touched, and said to be foreign', async () => {
    await using test = await setupCode()
    const file = join(test.directory, '.git/hooks/post-commit')
    mkdirSync(join(test.directory, '.git/hooks'), { recursive: true })
    writeFileSync(file, '#!/usr/bin/env python3\nprint("x")\n')
    await execute(test.context, installHooks, {})
    expect(readFileSync(file, 'utf8')).toBe('#!/usr/bin/env python3\nprint("x")\n')
    expect((await execute(test.context, showHooks, {})).hooks).toContainEqual({
      hook: 'post-commit',
      state: 'foreign',
    })
  })

  it.each([
    undefined,
    '#!/bin/sh\n',
    '#!/bin/sh',
    '',
    'echo no shebang\n',
    '#!/bin/sh\n\n\n',
    'one\r\ntwo',
  ])('the text %j comes back', (text) => {
    const added = addBlock(text, { label: 'sync', body: 'line 1\nline 2', mode: '644' })
    expect(added).toContain('line 1\nline 2\n')
    expect(removeBlock(added, 'sync')).toEqual({ text, mode: '644' })
  })
})
