import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { withNoteRef } from '../../src/git/code-source.ts'
import { annotateCode } from '../../src/annotation/write/annotate.ts'
import { exportAnnotations } from '../../src/annotation/write/exchange.ts'
import { forgetAnnotations } from '../../src/annotation/write/forget.ts'
import { readCode } from '../../src/annotation/read/read.ts'
import { annotationStatus } from '../../src/annotation/write/status.ts'
import { getEntity } from '../../src/entity/operations.ts'
import type { Check } from '../../src/health/check.ts'
import { doctorCommand } from '../../src/surfaces/install/doctor-command.ts'
import { objectFile } from '../git/repository.ts'
import { git, openClone } from '../replica/clones.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { type AnnotatedProject, createAnnotatedProject, INTENTS } from './annotated-project.ts'

const NOTES = 'refs/notes/waymark'
const LOG = 'refs/waymark/log'

type Damage = (directory: string) => void

function fileOf(directory: string, name: string): string {
  const path = objectFile({ directory, git: (...args) => git(directory, ...args) }, name)
  chmodSync(path, 0o644)
  return path
}

const remove =
  (name: string): Damage =>
  (directory) =>
    rmSync(fileOf(directory, name))
const empty =
  (name: string): Damage =>
  (directory) =>
    truncateSync(fileOf(directory, name))
const write =
  (ref: string, text: string): Damage =>
  (directory) => {
    mkdirSync(dirname(join(directory, '.git', ref)), { recursive: true })
    writeFileSync(join(directory, '.git', ref), text)
  }

const note: Damage = (directory) => {
  const head = git(directory, 'rev-parse', 'HEAD~1').trim()
  remove(`${NOTES}:${head}`)(directory)
}

const segment: Damage = (directory) => {
  const name = git(directory, 'ls-tree', '--name-only', LOG).split('\n')[0] ?? ''
  remove(`${LOG}:${name}`)(directory)
}

/** Kinds of damage to each of the two refs, and what doctor must say of it. */
const DAMAGES: Readonly<Record<string, readonly [ref: string, damage: Damage, words: RegExp]>> = {
  'a notes ref whose commit is missing': [NOTES, remove(NOTES), /is not in this repository/],
  'a notes ref whose commit is an empty file': [NOTES, empty(NOTES), /cannot be read/],
  'a notes ref whose tree is gone': [NOTES, remove(`${NOTES}^{tree}`), /tree .* is not in/],
  'a notes ref whose tree is an empty file': [NOTES, empty(`${NOTES}^{tree}`), /tree .* is not in/],
  'a notes ref of which a blob is gone': [NOTES, note, /notes of 1 commit cannot be read/],
  'a notes ref of which an older commit is gone': [NOTES, remove(`${NOTES}~1`), /older commit/],
  'a notes ref that is an empty file': [NOTES, write(NOTES, ''), /is empty/],
  'a notes ref that is a file of nonsense': [NOTES, write(NOTES, 'nonsense\n'), /no object id/],
  'a notes ref that leads to nothing': [NOTES, write(NOTES, `${'1'.repeat(40)}\n`), /not in this/],
  'a notes ref that leads to a tree': [
    NOTES,
    (directory) => write(NOTES, git(directory, 'rev-parse', 'HEAD^{tree}'))(directory),
    /is a tree and no commit/,
  ],
  'a notes ref that is a symbolic ref': [NOTES, write(NOTES, 'ref: refs/heads/main\n'), /symbolic/],
  'a notes ref that is a link': [
    NOTES,
    (directory) => {
      rmSync(join(directory, '.git', NOTES))
      symlinkSync('../heads/main', join(directory, '.git', NOTES))
    },
    /symbolic/,
  ],
  'a notes ref that is gone': [
    NOTES,
    (directory) => git(directory, 'update-ref', '-d', NOTES),
    /it is gone/,
  ],
  'a log whose commit is missing': [LOG, remove(LOG), /is not in this repository/],
  'a log whose commit is an empty file': [LOG, empty(LOG), /cannot be read/],
  'a log whose tree is gone': [LOG, remove(`${LOG}^{tree}`), /tree is not in/],
  'a log of which a segment is gone': [LOG, segment, /1 of its 1 segments/],
  'a log that is an empty file': [LOG, write(LOG, ''), /is empty/],
  'a log that is a file of nonsense': [LOG, write(LOG, 'nonsense\n'), /no object id/],
  'a log that is a symbolic ref': [LOG, write(LOG, 'ref: refs/heads/main\n'), /symbolic/],
}

let project: AnnotatedProject
beforeAll(async () => {
  project = await createAnnotatedProject()
})
afterAll(() => project[Symbol.dispose]())

/** What doctor has to say, except of hosts: there are none. */
async function examine(directory: string, repair = false): Promise<readonly Check[]> {
  const env = { HOME: directory, PATH: process.env['PATH'] ?? '' }
  const terminal = createTestTerminal(directory, { env })
  const running = { node: process.execPath, script: process.execPath }
  await doctorCommand({ json: true, repair }, terminal, running)
  const { checks } = JSON.parse(terminal.output.out) as { checks: Check[] }
  return checks.filter(({ name, status }) => status !== 'ok' && name !== 'hosts')
}

async function intentsIn(directory: string) {
  await using clone = await openClone(directory, 'ada')
  const { regions, notes = [] } = await clone.run(readCode, { path: 'file.ts' })
  return { intents: regions.map(({ intent }) => intent).toSorted(), notes }
}

describe('doctor', () => {
  it('finds nothing wrong with refs that are sound', async () => {
    expect(await examine(project.copy())).toEqual([])
  })

  it.each(Object.entries(DAMAGES))(
    'finds %s and repairs it [doctor-refs-finds-repairs]',
    async (_name, [ref, damage, words]) => {
      const directory = project.copy()
      const main = git(directory, 'rev-parse', 'main')
      damage(directory)
      const found = await examine(directory)
      const failed = found.filter(({ status }) => status === 'failed')
      expect(failed).toMatchObject([{ name: ref, message: expect.stringMatching(words) }])
      expect(failed[0]?.fix).toContain('doctor --repair')
      expect(JSON.stringify(found)).not.toContain('restore')
      const repaired = await examine(directory, true)
      expect(repaired.filter(({ status }) => status === 'failed')).toEqual([])
      expect(repaired).toContainEqual(
        expect.objectContaining({
          name: ref,
          status: 'warning',
          message: expect.stringMatching(words),
        }),
      )
      expect((await intentsIn(directory)).intents).toEqual([...INTENTS].toSorted())
      await using clone = await openClone(directory, 'ada')
      expect(await clone.sync()).toMatchObject({ sent: { pushed: true } })
      expect(await clone.run(getEntity, { id: '1' })).toMatchObject({ title: 'a note' })
      expect(git(directory, 'rev-parse', 'main')).toBe(main)
      git(directory, 'gc', '--quiet', '--prune=now')
      expect(await examine(directory)).toEqual([])
    },
  )

  it('looks at a notes ref too that only one process was told to use', async () => {
    const directory = project.copy()
    const ref = 'refs/notes/of-one-process'
    await using clone = await openClone(directory, 'ada')
    const code = clone.context.code ?? expect.unreachable()
    const as = { ...clone.context, code: withNoteRef(code, ref, 'waymark') }
    await execute(as, annotateCode, { summary: 'Said to one process only' })
    write(ref, '')(directory)
    expect(await examine(directory)).toMatchObject([{ name: ref, status: 'failed' }])
  })

  it('says what stood in a ref that it replaced, and keeps it', async () => {
    const directory = project.copy()
    write(NOTES, 'nonsense\n')(directory)
    const [{ message } = expect.unreachable()] = await examine(directory, true)
    expect(message).toContain('it was "nonsense"')
    const state = join(directory, '.git/waymark')
    const [kept = ''] = readdirSync(state).filter((name) => name.startsWith('replaced-ref-'))
    const replaced = { ref: NOTES, value: 'nonsense\n' }
    expect(JSON.parse(readFileSync(join(state, kept), 'utf8'))).toMatchObject(replaced)
  })

  it('repairs no ref that is in another folder, by way of a link', async () => {
    const directory = project.copy()
    const elsewhere = join(directory, 'elsewhere')
    const notes = join(directory, '.git', 'refs', 'notes')
    renameSync(notes, elsewhere)
    symlinkSync(elsewhere, notes)
    const before = readFileSync(join(elsewhere, 'waymark'), 'utf8')
    expect(await examine(directory, true)).toContainEqual(
      expect.objectContaining({
        status: 'failed',
        message: expect.stringContaining(
          'refs/notes in the Git folder is a link to another folder',
        ),
      }),
    )
    expect(readFileSync(join(elsewhere, 'waymark'), 'utf8')).toBe(before)
  })

  it('says that no note is missing where all of them are in Git', async () => {
    const directory = project.copy()
    write(NOTES, `${'1'.repeat(40)}\n`)(directory)
    const repaired = (await examine(directory, true)).find(({ name }) => name === NOTES)
    expect(repaired?.message).toContain('latest readable version again, which has every note')
  })

  it('leaves a note as it is that is too large to be read', async () => {
    const directory = project.copy()
    const commit = git(directory, 'rev-parse', 'HEAD').trim()
    const large = join(directory, 'large.txt')
    writeFileSync(large, ' '.repeat(5 * 1024 * 1024))
    const blob = git(directory, 'hash-object', '-w', large).trim()
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    const add = ['notes', `--ref=${NOTES}`, 'add', '-f', '-C', blob, `${commit}^{tree}`]
    git(directory, ...identity, ...add)
    note(directory)
    const repaired = (await examine(directory, true)).find(({ name }) => name === NOTES)
    expect(repaired?.message).toContain('repaired: 1 note restored')
    const listed = git(directory, 'notes', `--ref=${NOTES}`, 'list')
    expect(listed).toContain(blob)
    expect((await intentsIn(directory)).intents).toEqual([...INTENTS].toSorted())
  })

  it('does not call repaired what it could not bring back', async () => {
    const directory = project.copy()
    const commit = git(directory, 'rev-parse', 'HEAD').trim()
    rmSync(join(directory, '.git/logs', NOTES))
    const own = [{ $schema: 'ultragit/v1', id: 'x', summary: 's', regions: [] }].map((each) =>
      JSON.stringify(each),
    )
    git(
      directory,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'notes',
      `--ref=${NOTES}`,
      'add',
      '-f',
      '-m',
      own.join(''),
      `${commit}~2^{tree}`,
    )
    const blob = git(directory, 'rev-parse', `${commit}~2^{tree}`).trim()
    remove(`${NOTES}:${blob}`)(directory)
    rmSync(join(directory, '.git/logs', NOTES), { force: true })
    const [{ message } = expect.unreachable()] = await examine(directory, true)
    expect(message).not.toContain('repaired')
    expect(message).toContain(`nothing is left here of the notes of 1 commit: ${blob.slice(0, 12)}`)
    expect((await intentsIn(directory)).intents).toEqual([...INTENTS].toSorted())
  })

  it.each([NOTES, LOG])('leaves %s as it is while another git holds its lock', async (ref) => {
    const directory = project.copy()
    write(ref, 'nonsense\n')(directory)
    write(`${ref}.lock`, '')(directory)
    expect(await examine(directory, true)).toMatchObject([
      {
        status: 'failed',
        message: `${ref} is locked by another git process; if none runs, remove .git/${ref}.lock`,
      },
    ])
    expect(readFileSync(join(directory, '.git', ref), 'utf8')).toBe('nonsense\n')
    rmSync(join(directory, '.git', `${ref}.lock`))
    const repaired = (await examine(directory, true)).find(({ name }) => name === ref)
    expect(repaired).toMatchObject({ status: 'warning' })
    expect(repaired?.message).toContain('repaired')
  })

  it('removes a damaged ref of what a remote had, which the next sync fetches again', async () => {
    const directory = project.copy()
    const ref = 'refs/notes/remotes/origin/waymark'
    write(ref, 'nonsense\n')(directory)
    expect(await examine(directory)).toMatchObject([{ name: ref, status: 'failed' }])
    expect(await examine(directory, true)).toMatchObject([{ name: ref, status: 'warning' }])
    await using clone = await openClone(directory, 'ada')
    await clone.sync()
    expect(git(directory, 'cat-file', '-t', ref).trim()).toBe('commit')
  })

  it.each([NOTES, LOG])(
    'names a lock that was left at %s, and removes it when it is old',
    async (ref) => {
      const directory = project.copy()
      const path = join(directory, '.git', `${ref}.lock`)
      writeFileSync(path, '')
      expect(await examine(directory)).toEqual([])
      const age = (minutes: number) => {
        const past = new Date(Date.now() - minutes * 60_000)
        utimesSync(path, past, past)
      }
      age(3)
      const young = {
        name: 'ref lock',
        status: 'failed',
        fix: `if no git process runs, remove .git/${ref}.lock`,
      }
      expect(await examine(directory)).toMatchObject([young])
      expect(await examine(directory, true)).toMatchObject([young])
      age(180)
      expect(await examine(directory)).toMatchObject([
        { message: expect.stringContaining(`.git/${ref}.lock has been there for 3 hours`) },
      ])
      expect(await examine(directory, true)).toMatchObject([{ status: 'warning' }])
      expect(existsSync(path)).toBe(false)
      expect(await examine(directory)).toEqual([])
    },
  )
})

/** Damage to the notes after which the store's copy is all that can be answered from. */
const UNREADABLE = Object.entries(DAMAGES).filter(
  ([name, [ref]]) => ref === NOTES && !/older commit|blob/.test(name),
)

describe('while the notes cannot be read', () => {
  it.each(UNREADABLE)(
    '%s: a read answers from the copy and says so, and keeps it; a write is refused with the remedy [doctor-refs-read-answers]',
    async (_name, [, damage]) => {
      const directory = project.copy()
      const main = git(directory, 'rev-parse', 'main')
      damage(directory)
      const expected = {
        intents: [...INTENTS].toSorted(),
        notes: [expect.stringMatching(/store's copy: refs\/notes\/waymark .*doctor --repair/)],
      }
      for (let times = 0; times < 2; times += 1) {
        expect(await intentsIn(directory)).toEqual(expected)
      }
      await using clone = await openClone(directory, 'ada')
      expect(await clone.run(annotationStatus, {})).toMatchObject({ total_annotations: 3 })
      const refused = {
        code: 'storage_corrupt',
        message: expect.stringMatching(/^refs\/notes\/waymark .*waymark doctor --repair/),
      }
      await expect(clone.run(annotateCode, { summary: 'one more' })).rejects.toMatchObject(refused)
      await expect(clone.sync()).rejects.toMatchObject(refused)
      // A backup that lacks everything would be worse than none.
      await expect(clone.run(exportAnnotations, {})).rejects.toMatchObject(refused)
      expect(git(directory, 'rev-parse', 'main')).toBe(main)
    },
  )

  it('a ref that was deleted on purpose is forgotten when a person says so, and not before', async () => {
    const directory = project.copy()
    await using clone = await openClone(directory, 'ada')
    const forget = () => clone.run(forgetAnnotations, { ref: NOTES })
    await expect(forget()).rejects.toMatchObject({ code: 'conflict' })
    write(NOTES, 'nonsense\n')(directory)
    await expect(forget()).rejects.toMatchObject({ code: 'storage_corrupt' })
    rmSync(join(directory, '.git', NOTES))
    expect((await intentsIn(directory)).intents).toHaveLength(3)
    expect(await forget()).toEqual({ ref: NOTES, forgotten: 3 })
    expect(await intentsIn(directory)).toEqual({ intents: [], notes: [] })
    await clone.run(annotateCode, { summary: 'A new beginning of all notes' })
    expect(await examine(directory)).toEqual([])
  })

  it('a note whose new blob is gone is still answered from the copy of the old one', async () => {
    const directory = project.copy()
    const commit = git(directory, 'rev-parse', 'HEAD~1').trim()
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    git(directory, ...identity, 'notes', `--ref=${NOTES}`, 'append', '-m', 'one more line', commit)
    remove(`${NOTES}:${commit}`)(directory)
    expect((await intentsIn(directory)).intents).toEqual([...INTENTS].toSorted())
  })

  it.each([
    LOG,
    'refs/waymark/remotes/origin/log',
    'refs/waymark/remotes/origin/log-of-another-name',
    'refs/notes/remotes/origin/waymark',
  ])(
    '%s that is a symbolic ref is neither read nor written, and no branch moves [doctor-refs-symbolic-ref]',
    async (ref) => {
      const directory = project.copy()
      const main = git(directory, 'rev-parse', 'main')
      git(`${directory}.git`, 'update-ref', 'refs/waymark/log-of-another-name', LOG)
      write(ref, 'ref: refs/heads/main\n')(directory)
      await using clone = await openClone(directory, 'ada')
      await expect(clone.sync()).rejects.toMatchObject({
        code: 'storage_corrupt',
        message: expect.stringMatching(`^${ref} is a symbolic ref .*doctor --repair`),
      })
      expect(git(directory, 'rev-parse', 'main')).toBe(main)
    },
  )
})
