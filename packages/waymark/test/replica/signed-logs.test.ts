import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createEntity, getEntity, listEntities, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity } from '../../src/sync/history/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { LOG_REF } from '../../src/sync/log/log-ref.ts'
import { toSegments } from '../../src/sync/log/segment.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'
import { forgedId, forgeLine, noteOps, pushLines, pushSegments } from './hostile-log.ts'
import { canSign, createSigner, type Signer, useSettings } from './signing.ts'

afterEach(() => vi.unstubAllEnvs())

const TITLE = 'signed text'

async function write(clone: Clone, title = TITLE): Promise<string> {
  const { id } = await clone.run(createEntity, { type: 'note', title, content: title })
  await clone.sync()
  return id
}

const titles = async (clone: Clone): Promise<string[]> =>
  (await clone.run(listEntities, {})).entities.map(({ title }) => title)

const trustIn = async (clone: Clone, id: string) => (await clone.run(getEntity, { id })).trust

function forge(team: Team, n = 2): string {
  pushLines(team.remote, [forgedNote(n)])
  return forgedId(n)
}

function forgedNote(n: number): string {
  return forgeLine(forgedId(n), noteOps({ number: n, title: `forged ${n}` }))
}

/** A clone that signs as bob and has sent one note, and one that trusts bob. */
async function createSigners(team: Team): Promise<{ bob: Clone; ada: Clone; key: Signer }> {
  const key = createSigner(team, 'bob')
  const bob = await team.clone('bob')
  const ada = await team.clone('ada')
  useSettings(team, { signer: key })
  await write(bob)
  return { bob, ada, key }
}

describe.skipIf(!canSign())('a log that is signed', () => {
  test('is good where the key is trusted, and tells who signed it', async () => {
    await using team = createTeam()
    const { bob, ada, key } = await createSigners(team)
    expect(git(team.remote, 'cat-file', '-p', LOG_REF)).toContain('-----BEGIN SSH SIGNATURE-----')
    useSettings(team, { trusted: [key] })
    await ada.sync()
    expect(await trustIn(ada, '1')).toMatchObject({
      via: 'sync',
      remote: 'origin',
      signature: 'good',
      signer: 'bob',
      proved: false,
    })
    expect(await trustIn(bob, '1')).toMatchObject({ via: 'api' })
  })

  test('is untrusted where the key is unknown, with and without a list of signers', async () => {
    await using team = createTeam()
    const { ada, key } = await createSigners(team)
    const eve = await team.clone('eve')
    useSettings(team, {})
    await ada.sync()
    expect(await trustIn(ada, '1')).toMatchObject({ signature: 'untrusted' })
    useSettings(team, { trusted: [createSigner(team, 'carol')] })
    await eve.sync()
    const signer = expect.stringMatching(/^SHA256:/)
    expect(await trustIn(eve, '1')).toMatchObject({ signature: 'untrusted', signer })
    expect(key.name).toBe('bob')
  })

  test('is bad where the commit was changed after it was signed', async () => {
    await using team = createTeam()
    const { ada, key } = await createSigners(team)
    const signed = git(team.remote, 'cat-file', 'commit', LOG_REF)
    const changed = signed.replace(/^author .*$/m, 'author mallory <m@example.com> 0 +0000')
    const input = { input: changed, encoding: 'utf8' as const }
    const args = ['-C', team.remote, 'hash-object', '-t', 'commit', '-w', '--stdin']
    git(team.remote, 'update-ref', LOG_REF, execFileSync('git', args, input).trim())
    useSettings(team, { trusted: [key] })
    await ada.sync()
    expect(await trustIn(ada, '1')).toMatchObject({ signature: 'bad' })
  })

  test('stays weaker after an unsigned change, however it is signed later', async () => {
    await using team = createTeam()
    const { bob, ada, key } = await createSigners(team)
    const eve = await team.clone('eve')
    useSettings(team, { trusted: [key] })
    await eve.sync()
    eve.tick(1000)
    await eve.run(updateEntity, { id: '1', content: 'unsigned' })
    await eve.sync()
    useSettings(team, { signer: key, trusted: [key] })
    bob.tick(2000)
    await bob.sync()
    await bob.run(updateEntity, { id: '1', title: 'signed again' })
    await bob.sync()
    useSettings(team, { trusted: [key] })
    await ada.sync()
    expect(await trustIn(ada, '1')).toMatchObject({ signature: 'unsigned' })
  })
})

describe.skipIf(!canSign())('a clone that quarantines what is unsigned', () => {
  test('takes in signed segments and keeps others out, until they are accepted [signed-logs-takes-segments]', async () => {
    await using team = createTeam()
    const { ada, key } = await createSigners(team)
    forge(team)
    const quarantine = { trusted: [key], unsigned: 'quarantine' } as const
    useSettings(team, quarantine)
    const dry = await ada.sync({ dry_run: true })
    expect(dry.received.created).toBe(1)
    expect(dry.set_aside).toMatchObject({ total: 1, lines: [{ reason: 'unsigned' }] })
    const report = await ada.sync()
    expect(report.received.created).toBe(1)
    expect(report.set_aside).toMatchObject({ total: 1, lines: [{ reason: 'unsigned' }] })
    expect(await titles(ada)).toEqual([TITLE])
    const { checks } = await ada.run(checkStore, {})
    const told = checks.find(({ message }) => message.includes('not signed with a key'))
    expect(told).toMatchObject({ status: 'warning' })
    expect((await ada.sync({ retry_set_aside: true })).set_aside.total).toBe(1)
    useSettings(team, { trusted: [key] })
    expect((await ada.sync({ dry_run: true })).received.created).toBe(1)
    expect((await ada.sync()).set_aside.total).toBe(0)
    expect(await titles(ada)).toEqual([TITLE, 'forged 2'])
    expect(await trustIn(ada, '2')).toMatchObject({ signature: 'unsigned' })
  })

  test('takes in what was kept out once its signer is trusted', async () => {
    await using team = createTeam()
    const { ada, key } = await createSigners(team)
    useSettings(team, { unsigned: 'quarantine' })
    expect((await ada.sync()).set_aside.total).toBe(1)
    expect(await titles(ada)).toEqual([])
    useSettings(team, { trusted: [key], unsigned: 'quarantine' })
    await ada.sync({ retry_set_aside: true })
    expect(await titles(ada)).toEqual([TITLE])
    expect(await trustIn(ada, '1')).toMatchObject({ signature: 'good', signer: 'bob' })
  })

  test('does not take a merge by a trusted clone for a signature under all that it carries [signed-logs-take-merge]', async () => {
    await using team = createTeam()
    const { bob, ada, key } = await createSigners(team)
    useSettings(team, { signer: key, trusted: [key] })
    await bob.run(createEntity, { type: 'note', title: 'beside it' })
    await bob.sync({ push: false })
    forge(team)
    await write(bob, 'after the merge')
    const merges = git(team.remote, 'rev-list', '--merges', '--count', LOG_REF).trim()
    expect(merges).toBe('1')
    useSettings(team, { trusted: [key], unsigned: 'quarantine' })
    expect((await ada.sync()).set_aside.total).toBe(1)
    expect(await titles(ada)).toEqual([TITLE, 'beside it', 'after the merge'])
  })

  test('does not take the packing or rewriting of segments for a signature either', async () => {
    await using team = createTeam()
    const { bob, ada, key } = await createSigners(team)
    const forged = Array.from({ length: 68 }, (_, at) => [...toSegments([forgedNote(at + 2)])])
    pushSegments(team.remote, forged.flat())
    useSettings(team, { signer: key, trusted: [key] })
    const mine = await write(bob, 'erased')
    await bob.run(purgeEntity, { id: mine, confirm: true })
    await bob.sync()
    const segments = git(team.remote, 'ls-tree', '--name-only', LOG_REF).trim().split('\n')
    expect(segments.length).toBeLessThan(20)
    useSettings(team, { trusted: [key], unsigned: 'quarantine' })
    const { set_aside } = await ada.sync()
    expect(set_aside.total).toBeGreaterThanOrEqual(68)
    expect(await titles(ada)).toEqual([TITLE])
  })

  test('does not take lines that a trusted clone sends again for its own', async () => {
    await using team = createTeam()
    const { bob, ada, key } = await createSigners(team)
    const before = git(team.remote, 'rev-parse', LOG_REF).trim()
    forge(team)
    useSettings(team, { signer: key, trusted: [key] })
    await bob.sync()
    for (const place of [team.remote, bob.directory]) git(place, 'update-ref', LOG_REF, before)
    await write(bob, 'after the loss')
    useSettings(team, { trusted: [key], unsigned: 'quarantine' })
    await ada.sync()
    expect(await titles(ada)).toEqual([TITLE, 'after the loss'])
  })

  test('does not take a changed file for the one that was signed', async () => {
    await using team = createTeam()
    const { ada, key } = await createSigners(team)
    const [name = ''] = git(team.remote, 'ls-tree', '--name-only', LOG_REF).trim().split('\n')
    const line = forgeLine(forgedId(2), noteOps({ number: 2, title: 'smuggled' }))
    const bare = (args: readonly string[], input: string): string =>
      execFileSync('git', ['-C', team.remote, ...args], { encoding: 'utf8', input }).trim()
    const blob = bare(['hash-object', '-w', '--stdin'], `${line}\n`)
    const tree = bare(['mktree'], `100644 blob ${blob}\t${name}\n`)
    const who = ['-c', 'user.name=m', '-c', 'user.email=m@example.com']
    const parent = git(team.remote, 'rev-parse', LOG_REF).trim()
    const commit = bare([...who, 'commit-tree', tree, '-p', parent, '-m', 'waymark log'], '')
    git(team.remote, 'update-ref', LOG_REF, commit)
    useSettings(team, { trusted: [key], unsigned: 'quarantine' })
    await ada.sync()
    expect(await titles(ada)).toEqual([])
  })

  test('does not take a signed commit of the code for one of the log', async () => {
    await using team = createTeam()
    const { ada, key } = await createSigners(team)
    const line = forgeLine(forgedId(2), noteOps({ number: 2, title: 'in the code' }))
    pushLines(team.remote, [line])
    const tree = git(team.remote, 'rev-parse', `${LOG_REF}^{tree}`).trim()
    useSettings(team, { signer: key, trusted: [key] })
    const who = ['-c', 'user.name=bob', '-c', 'user.email=bob@example.com']
    const args = ['-C', team.remote, ...who, 'commit-tree', '-S', tree, '-m', 'Add a file']
    git(team.remote, 'update-ref', LOG_REF, execFileSync('git', args, { encoding: 'utf8' }).trim())
    useSettings(team, { trusted: [key], unsigned: 'quarantine' })
    await ada.sync()
    expect(await titles(ada)).toEqual([])
  })
})

describe.skipIf(!canSign())('the settings of signing', () => {
  test('are not taken from the repository, nor is its program [signed-logs-taken-repository]', async () => {
    await using team = createTeam()
    const key = createSigner(team, 'bob')
    const bob = await team.clone('bob')
    const canary = join(bob.directory, '.git', 'canary')
    const program = join(bob.directory, '.git', 'program')
    writeFileSync(program, `#!/bin/sh\necho ran >> '${canary}'\nexit 1\n`)
    chmodSync(program, 0o755)
    for (const name of ['gpg.program', 'gpg.ssh.program', 'gpg.x509.program']) {
      bob.git('config', name, program)
    }
    bob.git('config', 'waymark.sync.sign', 'true')
    bob.git('config', 'waymark.sync.unsigned', 'quarantine')
    useSettings(team, {})
    await write(bob)
    expect(git(team.remote, 'cat-file', '-p', LOG_REF)).not.toContain('SIGNATURE')
    useSettings(team, { signer: key, trusted: [key] })
    await write(bob, 'another')
    expect(git(team.remote, 'cat-file', '-p', LOG_REF)).toContain('SIGNATURE')
    const ada = await team.clone('ada')
    for (const name of ['gpg.ssh.program', 'gpg.ssh.allowedSignersFile']) {
      ada.git('config', name, program)
    }
    await ada.sync()
    expect(await trustIn(ada, '2')).toMatchObject({ signature: 'good', signer: 'bob' })
    expect(existsSync(canary)).toBe(false)
  })

  test('that git cannot sign with stop the exchange before anything is sent, and name the remedy', async () => {
    await using team = createTeam()
    const bob = await team.clone('bob')
    const key = join(bob.directory, 'no-such-key')
    useSettings(team, { signer: { name: 'bob', key } })
    await bob.run(createEntity, { type: 'note', title: TITLE })
    await expect(bob.sync()).rejects.toThrow(/^waymark\.sync\.sign: .*user\.signingKey.*--unset/)
    expect(git(team.remote, 'for-each-ref', LOG_REF)).toBe('')
    useSettings(team, {})
    expect((await bob.sync()).sent).toEqual({ entities: 1, pushed: true })
  })

  test('that make no sense are refused by name', async () => {
    await using team = createTeam()
    const bob = await team.clone('bob')
    useSettings(team, { unsigned: 'refuse' as 'accept' })
    await expect(bob.sync()).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('waymark.sync.unsigned: must be accept or quarantine'),
    })
  })
})
