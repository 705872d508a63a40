import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import {
  installCodeHooks as installHooks,
  showHooks,
  uninstallCodeHooks as uninstallHooks,
} from '../../../src/hook/operations.ts'
import { addStagedNote } from '../../../src/annotation/write/pending.ts'
import { annotationStatus } from '../../../src/annotation/write/status.ts'
import { setupCode } from './code-setup.ts'
import { commitByHand, hooked } from './hooked-setup.ts'

describe('hooks that are in place', () => {
  it('a commit with nothing to do starts no process of ours', async () => {
    await using test = await hooked()
    const calls = join(test.directory, '.git', 'calls')
    const waymark = join(test.directory, '.git', 'bin', 'waymark')
    writeFileSync(waymark, `#!/bin/sh\necho "$@" >> '${calls}'\n`)
    commitByHand(test, 'one')
    test.shell('commit', '--quiet', '--amend', '-m', 'two')
    test.shell('checkout', '--quiet', '-b', 'topic')
    for (const name of ['a', 'b', 'c']) test.commit(name, { [name]: name })
    test.git('checkout', '--quiet', 'main')
    test.commit('elsewhere', { y: 'y' })
    test.shell('rebase', '--quiet', 'main', 'topic')
    expect(existsSync(calls)).toBe(false)
    test.git('notes', '--ref', 'waymark', 'add', '-m', '{}', 'HEAD~1')
    test.git('checkout', '--quiet', 'main')
    test.commit('further', { z: 'z' })
    test.shell('rebase', '--quiet', 'main', 'topic')
    expect(readFileSync(calls, 'utf8')).toBe('code hook post-rewrite rebase --stdin\n')
  })

  it('post-commit is there only while a commit of some worktree is waited for', async () => {
    await using test = await hooked()
    const hook = join(test.directory, '.git', 'hooks', 'post-commit')
    const { hooks } = await execute(test.context, showHooks, {})
    expect(hooks.map(({ state }) => state)).toEqual(['installed', 'installed', 'installed'])
    expect(existsSync(hook)).toBe(false)
    await execute(test.context, addStagedNote, { text: 'tried a pool first' })
    expect(existsSync(hook)).toBe(true)
    const elsewhere = join(test.directory, '.git', 'worktrees', 'other')
    mkdirSync(elsewhere, { recursive: true })
    writeFileSync(join(elsewhere, 'waymark-pending'), '')
    commitByHand(test, 'one')
    expect(test.git('notes', '--ref', 'waymark', 'show')).toContain('tried a pool first')
    expect(existsSync(hook)).toBe(true)
    rmSync(elsewhere, { recursive: true })
    await execute(test.context, addStagedNote, { text: 'and then a queue' })
    test.write({ 'c.txt': 'c' })
    test.shell('add', '--all')
    test.shell('commit', '--quiet', '-m', 'two')
    expect(test.git('notes', '--ref', 'waymark', 'show')).toContain('and then a queue')
    expect(existsSync(hook)).toBe(false)
  })

  it('post-commit beside lines of others stays where it is', async () => {
    await using test = await setupCode()
    const hook = join(test.directory, '.git', 'hooks', 'post-commit')
    mkdirSync(dirname(hook), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\necho mine\n', { mode: 0o755 })
    await execute(test.context, installHooks, {})
    expect(readFileSync(hook, 'utf8')).toMatch(/waymark annotations[^]*echo mine/)
    await execute(test.context, uninstallHooks, {})
    expect(readFileSync(hook, 'utf8')).toBe('#!/bin/sh\necho mine\n')
  })

  it('hooks that Git tracks are changed only on request', async () => {
    await using test = await setupCode()
    test.git('config', 'core.hooksPath', '.husky')
    test.commit('Hooks for everyone', { '.husky/post-commit': '#!/bin/sh\ntrue\n' })
    await expect(execute(test.context, installHooks, {})).rejects.toMatchObject({
      code: 'conflict',
      message: 'Git tracks the hooks in .husky; --tracked changes them',
    })
    expect(test.git('status', '--porcelain')).toBe('')
    const { hooks } = await execute(test.context, installHooks, { tracked: true })
    expect(hooks.map(({ state }) => state)).toEqual(['installed', 'installed', 'installed'])
  })

  it('hooks that another tool has removed are told of', async () => {
    await using test = await setupCode()
    await execute(test.context, installHooks, {})
    rmSync(join(test.directory, '.git', 'hooks', 'post-rewrite'))
    const { notes } = await execute(test.context, annotationStatus, {})
    expect(notes).toEqual([
      'Another tool has removed our hooks (post-rewrite): run `waymark code hooks-install` again.',
    ])
    await execute(test.context, uninstallHooks, {})
    expect((await execute(test.context, annotationStatus, {})).notes).toBeUndefined()
  })
})
