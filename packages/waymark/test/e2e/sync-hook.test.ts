import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git } from '../replica/clones.ts'
import { type Answered, command } from '../surface/command.ts'
import { WAYMARK } from './binary.ts'

interface Cloned extends Disposable {
  readonly root: string
  readonly run: (...words: readonly string[]) => Promise<Answered>
  /** What git said on standard error. */
  readonly push: (remote: string) => string
  /** Refs of Waymark's at a remote. */
  readonly refsOf: (remote: string) => string
}

/** A project with a note, the remotes origin and fork, and a `waymark` that hooks find. */
async function setup(): Promise<Cloned> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-hook-'))
  const root = join(folder, 'main')
  for (const name of ['origin', 'fork']) git(folder, 'init', '--quiet', '--bare', `${name}.git`)
  git(folder, 'clone', '--quiet', 'origin.git', 'main')
  git(root, 'remote', 'add', 'fork', '../fork.git')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'waymark'), `#!/bin/sh\nexec "${process.execPath}" "${WAYMARK}" "$@"\n`)
  chmodSync(join(bin, 'waymark'), 0o755)
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  }
  const run = (...words: readonly string[]) => command(root, words, { WAYMARK_ACTOR: 'ada' })
  await run('init')
  await run('add', 'note', 'what only the team is to know')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  git(root, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  return {
    root,
    run,
    push: (remote) => {
      const words = ['-C', root, 'push', '--quiet', remote, 'HEAD:refs/heads/main']
      const { status, stderr } = spawnSync('git', words, { env, encoding: 'utf8' })
      expect(status).toBe(0)
      return stderr
    },
    refsOf: (remote) =>
      git(join(folder, `${remote}.git`), 'for-each-ref', '--format=%(refname)', 'refs/waymark'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

const SKIPPED = 'waymark: knowledge goes to origin only and was not sent with this push\n'

describe('the hook for git push', () => {
  it('sends knowledge to the remote that the project synchronises with, and to no other [sync-hook-sends-knowledge]', async () => {
    using cloned = await setup()
    expect((await cloned.run('sync', 'hook')).out).toBe(
      'hooks that exchange knowledge: post-merge, pre-push (with origin)\n',
    )
    expect(cloned.push('fork')).toBe(SKIPPED)
    expect(cloned.push('../fork.git')).toBe(SKIPPED)
    expect(cloned.refsOf('fork')).toBe('')
    expect(cloned.push('origin')).toBe('')
    expect(cloned.refsOf('origin')).toBe('refs/waymark/live\nrefs/waymark/log\n')
  })

  it('sends it to another remote that was named, and then not to origin', async () => {
    using cloned = await setup()
    const named = JSON.parse((await cloned.run('sync', 'hook', 'fork', '--json')).out) as object
    expect(named).toEqual({ installed: ['post-merge', 'pre-push'], remote: 'fork' })
    expect(cloned.push('origin')).toBe(SKIPPED.replace('origin', 'fork'))
    expect(cloned.refsOf('origin')).toBe('')
    cloned.push('fork')
    expect(cloned.refsOf('fork')).toBe('refs/waymark/log\n')
  })

  it('is not installed for a remote that is not there or that a shell would misread', async () => {
    using cloned = await setup()
    expect(await cloned.run('sync', 'hook', 'nowhere')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('remote: must be one of fork, origin'),
    })
    git(cloned.root, 'config', "remote.a';touch x;'.url", '../fork.git')
    expect(await cloned.run('sync', 'hook', "a';touch x;'")).toMatchObject({ exit: 2 })
    git(cloned.root, 'config', '--remove-section', "remote.a';touch x;'")
    git(cloned.root, 'remote', 'rename', 'origin', 'upstream')
    expect(await cloned.run('sync', 'hook')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('remote: must be one of fork, upstream'),
    })
  })

  it('of an older version, which sends to every remote, is named by doctor and renewed by sync hook', async () => {
    using cloned = await setup()
    await cloned.run('sync', 'hook')
    const file = join(cloned.root, '.git', 'hooks', 'pre-push')
    const begin = '# waymark:begin sync; removed by `waymark sync unhook`'
    const old = 'if command -v waymark >/dev/null 2>&1; then waymark sync "$1" </dev/null; fi'
    writeFileSync(file, `#!/bin/sh\n${begin}\n${old}\n# waymark:end\n`)
    const checks = async () => {
      const { out } = await cloned.run('doctor', '--json')
      return (JSON.parse(out) as { checks: { name: string; fix?: string }[] }).checks.filter(
        ({ name }) => name === 'sync hooks',
      )
    }
    expect(await checks()).toMatchObject([{ status: 'warning', fix: 'waymark sync hook' }])
    await cloned.run('sync', 'hook')
    expect(await checks()).toEqual([])
    expect(cloned.push('fork')).toBe(SKIPPED)
  })
})
