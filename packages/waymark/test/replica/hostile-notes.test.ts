import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { annotateCode } from '../../src/annotation/write/annotate.ts'
import { exportAnnotations } from '../../src/annotation/write/exchange.ts'
import { readCode } from '../../src/annotation/read/read.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { lose } from '../git/repository.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'

const NOTES = 'refs/notes/waymark'
const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']

function record(id: string, more: object = {}): string {
  const regions = [{ file: 'file.ts', intent: `said by ${id}` }]
  return JSON.stringify({
    $schema: 'ultragit/v1',
    id,
    summary: `What ${id} says`,
    regions,
    ...more,
  })
}

function nested(depth: number): string {
  return `{"$schema":"ultragit/v1","id":"deep","summary":"s","regions":${'['.repeat(depth)}${']'.repeat(depth)}}`
}

/** Notes that anyone who may push can put there, by what is wrong with them. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a note of 5 MiB of blanks': ' '.repeat(5 * 1024 * 1024),
  'a note that is nested a million times': nested(1_000_000),
  'a note with an author of a million letters': record('author', { author: 'x'.repeat(1_000_000) }),
  'a note with a list of 300,000 tags': record('tags', {
    regions: [{ file: 'file.ts', intent: 'x', tags: Array(300_000).fill('a') }],
  }),
  'a note with six thousand records': Array.from({ length: 6_000 }, (_, at) =>
    record(`r${at}`),
  ).join('\n'),
}

/** A team in which ada's first commit is annotated, and the remote's note of it then becomes something else. */
async function attacked(team: Team, body: string, commit?: string) {
  const ada = await team.clone('ada')
  writeFileSync(join(ada.directory, 'file.ts'), 'export const x = 1\n')
  ada.git('add', '.')
  for (const message of ['one', 'two'])
    ada.git(...IDENTITY, 'commit', '-qm', message, '--allow-empty')
  ada.git('push', '--quiet', 'origin', 'HEAD:main')
  await annotate(ada, 'ada')
  await ada.sync()
  const [head = '', first = ''] = ada.git('rev-list', 'HEAD').trim().split('\n')
  const blob = push(team, commit ?? head, body)
  return { ada, head, first, blob }
}

async function annotate(clone: Clone, intent: string): Promise<void> {
  const regions = [{ file: 'file.ts', intent }]
  await clone.run(annotateCode, { summary: `What ${intent} says of it`, regions })
}

/** Adds a note at the remote with git itself; answers its blob. */
function push(team: Team, commit: string, body: string): string {
  const input = Buffer.from(body)
  const options = { input, encoding: 'utf8' as const }
  const blob = execFileSync(
    'git',
    ['-C', team.remote, 'hash-object', '-w', '--stdin'],
    options,
  ).trim()
  git(team.remote, ...IDENTITY, 'notes', `--ref=${NOTES}`, 'add', '-f', '-C', blob, commit)
  return blob
}

async function intents(clone: Clone): Promise<readonly string[]> {
  const { regions } = await clone.run(readCode, { path: 'file.ts', max_regions: 200 })
  return regions.map(({ intent }) => intent).toSorted()
}

function isReachable(directory: string, blob: string): boolean {
  return git(directory, 'rev-list', '--objects', NOTES).includes(blob)
}

describe.each(Object.entries(HOSTILE))('%s', (_name, body) => {
  it('that takes the place of ours is set aside: told once, not lost, and in the way of nothing [hostile-notes-takes-place]', async () => {
    await using team = createTeam()
    const { ada, blob, first } = await attacked(team, body)
    // She has said something since, so that both sides have to be joined.
    await annotate(ada, 'ada again')
    push(team, first, `${record('good')}\n`)
    const report = await ada.sync()
    expect(report.notes_set_aside).toMatchObject([{ ref: NOTES, hash: expect.any(String) }])
    expect(report.received.notes).toBeLessThanOrEqual(2)
    expect(await intents(ada)).toEqual(expect.arrayContaining(['ada', 'ada again', 'said by good']))
    expect(isReachable(team.remote, blob)).toBe(true)
    expect(isReachable(ada.directory, blob)).toBe(true)
    expect((await ada.sync()).notes_set_aside).toEqual([])
    await annotate(ada, 'ada later')
    expect(await intents(ada)).toContain('ada later')
    const bob = await team.clone('bob')
    await bob.sync()
    expect(await intents(bob)).toEqual(expect.arrayContaining(['ada', 'said by good']))
    expect((await bob.sync()).notes_set_aside).toEqual([])
    await ada.run(exportAnnotations, {})
    expect(git(ada.directory, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('of a commit that had none is set aside, and the commit can be annotated', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    writeFileSync(join(ada.directory, 'file.ts'), 'export const x = 1\n')
    ada.git('add', '.')
    ada.git(...IDENTITY, 'commit', '-qm', 'one')
    ada.git('push', '--quiet', 'origin', 'HEAD:main')
    const blob = push(team, ada.git('rev-parse', 'HEAD').trim(), body)
    expect((await ada.sync()).notes_set_aside).toMatchObject([{ hash: blob }])
    await annotate(ada, 'ada')
    expect(await intents(ada)).toContain('ada')
    await ada.sync()
    expect(isReachable(team.remote, blob)).toBe(true)
    expect(await intents(ada)).toContain('ada')
  })
})

it.each([
  ['a submodule', '160000'],
  ['a symbolic link', '120000'],
])(
  '%s that is named like the note of a commit is no note, and keeps no other from coming',
  async (_name, mode) => {
    await using team = createTeam()
    const { ada, first } = await attacked(team, `${record('good')}\n`)
    const entry =
      mode === '160000' ? `M ${mode} ${first} ${first}` : `M ${mode} inline ${first}\ndata 4\nnote`
    execFileSync('git', ['-C', team.remote, 'fast-import', '--quiet'], {
      input: `commit ${NOTES}\ncommitter m <m@x> 0 +0000\ndata 0\nfrom ${NOTES}^0\n${entry}\n`,
    })
    await annotate(ada, 'ada again')
    await ada.sync()
    expect(await intents(ada)).toEqual(['ada', 'ada again', 'said by good'])
    const bob = await team.clone('bob')
    await bob.sync()
    expect(await intents(bob)).toEqual(await intents(ada))
    // The commit can be annotated like any other.
    const regions = [{ file: 'file.ts', intent: 'of the first' }]
    await ada.run(annotateCode, { commit: first, summary: 'What the first is', regions })
    await ada.sync()
    await bob.sync()
    expect(await intents(bob)).toContain('of the first')
  },
)

it.each(['replaced by another note', 'replaced by a note that is not read', 'removed'])(
  'a note that was %s at the remote keeps the annotations of every clone that has it [hostile-notes-note-remote]',
  async (how) => {
    await using team = createTeam()
    const { ada, head } = await attacked(team, `${record('good')}\n`)
    const bob = await team.clone('bob')
    bob.git('pull', '--quiet', 'origin', 'main')
    await ada.sync()
    await bob.sync()
    await annotate(bob, 'bob')
    await bob.sync()
    if (how === 'removed') git(team.remote, ...IDENTITY, 'notes', `--ref=${NOTES}`, 'remove', head)
    else push(team, head, how.endsWith('read') ? ' '.repeat(5 << 20) : `${record('other')}\n`)
    // Ada has never seen what Bob said last; he has.
    for (const clone of [ada, bob, ada]) await clone.sync()
    const others = how === 'replaced by another note' ? ['said by other'] : []
    for (const clone of [ada, bob]) {
      expect(await intents(clone)).toEqual(['ada', 'bob', 'said by good', ...others])
    }
    const before = ada.git('rev-parse', NOTES)
    for (const clone of [bob, ada]) await clone.sync()
    expect(ada.git('rev-parse', NOTES)).toBe(before)
  },
)

it('doctor names the notes that are not read', async () => {
  await using team = createTeam()
  const { ada, head, blob } = await attacked(team, HOSTILE['a note of 5 MiB of blanks'] ?? '')
  const first = ada.git('rev-parse', 'HEAD~1').trim()
  push(team, first, HOSTILE['a note that is nested a million times'] ?? '')
  await ada.sync()
  const { checks } = await ada.run(checkStore, {})
  const found = (name: string) => checks.find((check) => check.name === name)
  expect(found('annotations')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining(`${NOTES} ${first.slice(0, 12)}`),
  })
  expect(found(NOTES)).toMatchObject({
    status: 'warning',
    message: expect.stringContaining(`set aside: ${head.slice(0, 12)} (${blob.slice(0, 12)})`),
  })
})

it.each(['the note that was set aside', 'the folder of those'])(
  '%s is lost: doctor repairs the ref without it',
  async (what) => {
    await using team = createTeam()
    const { ada, head, blob } = await attacked(team, HOSTILE['a note of 5 MiB of blanks'] ?? '')
    await ada.sync()
    lose(ada, what.includes('folder') ? `${NOTES}:set-aside/${head}` : blob)
    await (await ada.context.code?.repository())?.objects[Symbol.asyncDispose]()
    const stateOf = async (repair: boolean) => {
      const { checks } = await ada.run(checkStore, { repair })
      return checks.find(({ name }) => name === NOTES)?.status
    }
    expect(await stateOf(false)).toBe('failed')
    expect(await stateOf(true)).toBe('warning')
    expect(await stateOf(false)).toBeUndefined()
    expect(await intents(ada)).toEqual(['ada'])
  },
)
