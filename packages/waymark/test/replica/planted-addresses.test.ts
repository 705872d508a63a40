import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEntity } from '../../src/operations/entities.ts'
import { startHttpRemote } from '../git/untrusted/http-remote.ts'
import { plantProgram, plantRepository, UNDOTTED } from '../git/untrusted/planted.ts'
import { type Clone, createTeam, git } from './clones.ts'

/** Adds lines to `.git/config` as they are: `git config` would not write all of them. */
function configure({ directory }: Clone, ...lines: readonly string[]): void {
  appendFileSync(join(directory, '.git', 'config'), `${lines.join('\n')}\n`)
}

function hasLog(repository: string): boolean {
  return git(repository, 'for-each-ref', 'refs/waymark/log') !== ''
}

describe('a repository whose configuration was written by a stranger', () => {
  it.each(UNDOTTED)('runs no uploadpack of a remote with %j in its name', async (dot) => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const planted = plantProgram(join(clone.directory, '.git'))
    clone.git('remote', 'remove', 'origin')
    configure(
      clone,
      `[remote "up${dot}stream"]`,
      `url = ${team.remote}`,
      `uploadpack = ${planted.program}`,
      `receivepack = ${planted.program}`,
    )
    await clone.run(createEntity, { type: 'note', title: 'a note' })
    if (dot === '\r') await expect(clone.sync()).rejects.toMatchObject({ code: 'invalid_input' })
    else expect(await clone.sync()).toMatchObject({ sent: { pushed: true } })
    expect(planted.calls()).toBe('')
  })

  it.each(UNDOTTED)('runs no credential helper of an address with %j in it', async (dot) => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const planted = plantProgram(join(clone.directory, '.git'))
    await using server = await startHttpRemote(team.remote, { user: 'u', password: 'p' })
    clone.git('remote', 'set-url', 'origin', `${server.address}/${encodeURI(dot)}/x.git`)
    configure(clone, `[credential "${server.address}/${dot}"]`, `helper = "!${planted.program}"`)
    configure(clone, `[credential "${server.address}"]`, `helper = "!${planted.program}"`)
    await expect(clone.sync()).rejects.toMatchObject({ name: 'Failure' })
    expect(server.credentials).not.toEqual([])
    expect(planted.calls()).toBe('')
  })

  it
    .runIf(existsSync('/proc/self/cwd'))
    .each([
      'file:///proc%2Fself/cwd/.git/evil.git',
      'file:///proc/self/cwd/.git/evil.git',
      '/proc/self/cwd/.git/evil.git',
      '/proc/thread-self/cwd/.git/evil.git',
    ])('is not pushed into itself by way of %s', async (url) => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const planted = plantRepository(join(clone.directory, '.git'))
    clone.git('remote', 'set-url', 'origin', url)
    await clone.run(createEntity, { type: 'note', title: 'a note' })
    await expect(clone.sync()).rejects.toMatchObject({ name: 'Failure' })
    expect(planted.calls()).toBe('')
  })

  it('does not redirect what is sent to an address that was named', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const planted = plantRepository(join(clone.directory, '.git'))
    configure(clone, '[url ".git/evil.git"]', `pushInsteadOf = ${team.remote}`)
    await clone.run(createEntity, { type: 'note', title: 'a note' })
    await clone.sync({ remote: team.remote })
    expect(planted.calls()).toBe('')
    expect(hasLog(planted.program)).toBe(false)
    expect(hasLog(team.remote)).toBe(true)
  })
})

describe('a repository that a stranger has put into another one', () => {
  it('runs nothing as an alternate, where git looks for refs that it could have in common', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const other = await team.clone('d')
    await other.run(createEntity, { type: 'note', title: 'a note' })
    await other.sync()
    const gitDir = join(clone.directory, '.git')
    const { program, calls } = plantProgram(gitDir)
    const inner = plantRepository(gitDir)
    appendFileSync(
      join(inner.program, 'config'),
      `[core]\n\talternateRefsCommand = ${program}\n\tfsmonitor = ${program}
[remote "x"]\n\turl = ${team.remote}\n\tpromisor = true\n\tuploadpack = ${program}\n`,
    )
    // Git asks the remote for what a ref of a partial clone leads to and is not there.
    writeFileSync(join(inner.program, 'refs', 'heads', 'x'), `${'1'.repeat(40)}\n`)
    writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), join(inner.program, 'objects'))
    expect(await clone.sync()).toMatchObject({ received: { created: 1 } })
    expect(calls()).toBe('')
  })
})
