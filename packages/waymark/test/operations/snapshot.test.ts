import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { createSnapshot } from '../../src/snapshot/operations.ts'
import { type Setup, setup } from '../setup.ts'

const FOLDER = '.waymark/snapshot'

interface Tree extends AsyncDisposable {
  readonly project: Setup
  readonly context: Context
  path(...parts: string[]): string
  text(file: string): string
  files(): readonly string[]
}

async function tree(): Promise<Tree> {
  const project = await setup()
  const context = project.as('tester', { project: { root: project.directory } })
  const path = (...parts: string[]) => join(project.directory, ...parts)
  return {
    project,
    context,
    path,
    text: (file) => readFileSync(path(FOLDER, file), 'utf8'),
    files: () =>
      readdirSync(path(FOLDER), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(path(FOLDER).length + 1))
        .toSorted(),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

const add = (context: Context, type: string, title: string, rest: object = {}) =>
  execute(context, createEntity, { type, title, ...rest })

const snapshot = (context: Context, input: object = {}) => execute(context, createSnapshot, input)

describe('a snapshot', () => {
  it('has a file for every entity, tasks by urgency, and a README with counts [snapshot-file-every]', async () => {
    await using made = await tree()
    const { context } = made
    await add(context, 'decision', 'Use PostgreSQL!', {
      content: 'We use it.',
      tags: ['db'],
      properties: {
        status: 'accepted',
        context: 'We need a store.',
        consequences: ['One more server', 'Backups'],
      },
    })
    await add(context, 'component', 'Storage', { properties: { owner: 'kim' } })
    await add(context, 'note', 'Same')
    await add(context, 'note', 'same?')
    await add(context, 'prompt', 'Review', {
      properties: {
        template: 'Look at {{x}} ```',
        variables: ['x'],
        output_schema: '{"type":"object"}',
      },
    })
    await add(context, 'link', 'Docs', { properties: { url: 'https://example.org/docs' } })
    await add(context, 'task', 'Later', { properties: { priority: 'low' } })
    await add(context, 'task', 'Now', {
      tags: ['a', 'b'],
      relations: ['implements:1', 'belongs_to:2'],
      properties: { priority: 'urgent', due_date: '2026-12-01', assignee: 'kim' },
    })
    await add(context, 'task', 'Stuck', { properties: { status: 'blocked' } })
    await add(context, 'task', 'Finished', { properties: { status: 'done' } })
    const done = await snapshot(context)
    expect(done).toMatchObject({
      output_dir: FOLDER,
      decisions: 1,
      tasks_total: 4,
      tasks_active: 3,
      tasks_completed: 1,
      notes: 2,
      prompts: 1,
      components: 1,
      links: 1,
      changed: true,
    })
    expect(made.files()).toEqual([
      'README.md',
      'components/storage.md',
      'decisions/001-use-postgresql.md',
      'links/docs.md',
      'notes/same-4.md',
      'notes/same.md',
      'prompts/review.md',
      'tasks/active.md',
      'tasks/completed.md',
    ])
    expect(done.files_generated).toEqual(made.files())

    expect(made.text('decisions/001-use-postgresql.md')).toMatch(
      new RegExp(
        [
          '^---\nid: "[0-9a-f-]{36}"\nsequence: 1\ntitle: "Use PostgreSQL!"\nstatus: "accepted"\n',
          'created: "2026-11-15"\nupdated: "2026-11-15"\ncreated_by: "tester"\ntags: \\["db"\\]\n---\n\n',
          '<!-- Generated .*\n\n# Use PostgreSQL!\n\n## Context\n\nWe need a store.\n\n',
          '## Decision\n\nWe use it.\n\n## Consequences\n\n- One more server\n- Backups\n\n',
          '## Related\n\n- ← implements \\[#8 Now\\]\\(../tasks/active.md\\)\n$',
        ].join(''),
      ),
    )
    expect(made.text('components/storage.md')).toContain('owner: "kim"')
    expect(made.text('components/storage.md')).toContain('- ← belongs_to [#8 Now]')
    expect(made.text('prompts/review.md')).toContain('## Template\n\n````\nLook at {{x}} ```\n````')
    expect(made.text('prompts/review.md')).toContain('```json\n{"type":"object"}\n```')
    expect(made.text('links/docs.md')).toContain('url: "https://example.org/docs"')
    const active = made.text('tasks/active.md')
    expect(active).toMatch(
      /## Urgent\n\n- \[ \] \*\*Now\*\* #8 \([0-9a-f]{7}\)\n {2}Due: 2026-12-01 \| Assignee: kim \| Tags: a, b/,
    )
    expect(active).toMatch(/## Normal Priority\n\n- \[ \] \*\*Stuck\*\* #9 \(\w{7}\) \[blocked\]/)
    expect(active.indexOf('Urgent')).toBeLessThan(active.indexOf('Low Priority'))
    expect(made.text('tasks/completed.md')).toMatch(/\*\*Finished\*\* .* Completed 2026-11-15/)
    const readme = made.text('README.md')
    expect(readme).toContain('| Tasks | 4 |')
    expect(readme).toContain('](decisions/001-use-postgresql.md)')
  })

  it('has a file for each of those whose names would be one', async () => {
    await using made = await tree()
    const { context } = made
    for (const title of ['A', 'A 3', 'A', 'A 3 3']) await add(context, 'note', title)
    await snapshot(context)
    const notes = made.files().filter((file) => file.startsWith('notes/'))
    const numbers = notes.map((file) => [file, /^sequence: (\d)$/m.exec(made.text(file))?.[1]])
    expect(numbers).toEqual([
      ['notes/a-3-3-4.md', '4'],
      ['notes/a-3-3.md', '3'],
      ['notes/a-3.md', '2'],
      ['notes/a.md', '1'],
    ])
  })

  it('has the same bytes whenever it is made, and touches nothing that is up to date [snapshot-same-bytes]', async () => {
    await using made = await tree()
    const { context, project } = made
    await add(context, 'decision', 'A')
    await add(context, 'task', 'B')
    await snapshot(context)
    const before = made.files().map((file) => made.text(file))
    const { mtimeMs } = statSync(made.path(FOLDER, 'README.md'))
    project.tick(86_400_000)
    expect(await snapshot(context)).toMatchObject({
      changed: false,
      files_generated: [],
      files_removed: [],
    })
    expect(made.files().map((file) => made.text(file))).toEqual(before)
    expect(statSync(made.path(FOLDER, 'README.md')).mtimeMs).toBe(mtimeMs)
  })

  it('follows changes: what is gone is removed, what a person put there stays', async () => {
    await using made = await tree()
    const { context } = made
    await add(context, 'note', 'Old name')
    await add(context, 'note', 'Gone')
    await snapshot(context)
    writeFileSync(made.path(FOLDER, 'notes/mine.md'), 'my own')
    await execute(context, updateEntity, { id: '1', title: 'New name' })
    await execute(context, deleteEntity, { id: '2' })
    expect(await snapshot(context)).toMatchObject({
      files_removed: ['notes/gone.md', 'notes/old-name.md'],
    })
    expect(made.files().filter((file) => file.startsWith('notes/'))).toEqual([
      'notes/mine.md',
      'notes/new-name.md',
    ])
  })

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'my own')],
    ['a link', (path: string) => symlinkSync('../README.md', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('is refused before anything is written where %s of a person is', async (_, put) => {
    await using made = await tree()
    const { context } = made
    await add(context, 'note', 'A')
    await snapshot(context)
    put(made.path(FOLDER, 'notes/mine.md'))
    const before = { files: made.files(), readme: made.text('README.md') }
    await add(context, 'note', 'Mine')
    await add(context, 'decision', 'B')
    for (const dry_run of [true, false]) {
      await expect(snapshot(context, { dry_run })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/^notes\/mine\.md .*; move or rename it$/) as string,
        details: { path: 'notes/mine.md' },
      })
    }
    expect({ files: made.files(), readme: made.text('README.md') }).toEqual(before)
    renameSync(made.path(FOLDER, 'notes/mine.md'), made.path(FOLDER, 'notes/my-own.md'))
    await snapshot(context)
    expect(made.text('notes/mine.md')).toContain('# Mine')
  })

  it('leaves alone a file of any size that is not its own [snapshot-huge-file]', async () => {
    await using made = await tree()
    await add(made.context, 'note', 'A')
    await snapshot(made.context)
    const huge = made.path(FOLDER, 'notes/huge.md')
    writeFileSync(huge, '')
    // More than fits in memory as one text.
    truncateSync(huge, 3 * 1024 ** 3)
    expect(await snapshot(made.context)).toMatchObject({ changed: false })
    expect(statSync(huge).size).toBe(3 * 1024 ** 3)
  })

  it('that was killed is gone on with, and nothing half written stays', async () => {
    await using made = await tree()
    await add(made.context, 'note', 'A')
    const drafts = ['README.md.waymark-0a1b2c3d.tmp', 'notes/a.md.waymark-0a1b2c3d.tmp']
    mkdirSync(made.path(FOLDER), { recursive: true })
    writeFileSync(made.path(FOLDER, drafts[0] ?? ''), 'half')
    await snapshot(made.context)
    const whole = made.files()
    expect(whole).toContain('README.md')
    for (const draft of drafts) writeFileSync(made.path(FOLDER, draft), 'half')
    await snapshot(made.context, { dry_run: true })
    expect(made.files()).toHaveLength(whole.length + 2)
    await snapshot(made.context)
    expect(made.files()).toEqual(whole)
  })

  it('several at once leave the same as one', async () => {
    await using made = await tree()
    for (const title of ['A', 'B', 'C']) await add(made.context, 'note', title)
    await Promise.all([1, 2, 3, 4].map(() => snapshot(made.context)))
    const { changed, file_count } = await snapshot(made.context, { dry_run: true })
    expect({ changed, files: made.files().length }).toEqual({ changed: false, files: file_count })
  })

  it('a dry run says what would be written, and writes nothing', async () => {
    await using made = await tree()
    await add(made.context, 'note', 'A')
    expect(await snapshot(made.context, { dry_run: true })).toMatchObject({
      files_generated: expect.arrayContaining(['notes/a.md']),
    })
    expect(existsSync(made.path(FOLDER))).toBe(false)
  })

  it('stored text cannot break out of its place', async () => {
    await using made = await tree()
    await add(made.context, 'note', '../../evil\n---\nowner: me\n# [x](y) \u202e', {
      tags: ['"]\nevil: true'],
    })
    await add(made.context, 'task', '] **x** | \n- [x] done')
    await snapshot(made.context)
    const [file = ''] = made.files().filter((name) => name.startsWith('notes/'))
    expect(file).toBe('notes/evil-owner-me-x-y.md')
    const [, front = ''] = made.text(file).split(/^---$/m)
    expect(
      front
        .trim()
        .split('\n')
        .map((line) => line.slice(0, line.indexOf(':'))),
    ).toEqual(['id', 'sequence', 'title', 'created', 'updated', 'created_by', 'tags'])
    expect(made.text('tasks/active.md').match(/^- \[/gm)).toHaveLength(1)
  })
})

describe('where a snapshot may be', () => {
  it.each([
    ['..', 'forbidden'],
    ['../elsewhere', 'forbidden'],
    ['/tmp/elsewhere', 'forbidden'],
    ['.git/x', 'forbidden'],
    ['.', 'invalid_input'],
    ['', 'invalid_input'],
  ])('not in %j', async (folder, code) => {
    await using made = await tree()
    await expect(snapshot(made.context, { output_dir: folder })).rejects.toMatchObject({
      code,
      details: { field: 'output_dir' },
    })
  })

  it('not through a link that leads out', async () => {
    await using made = await tree()
    symlinkSync('/tmp', made.path('out'))
    await expect(snapshot(made.context, { output_dir: 'out/x' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await snapshot(made.context, { output_dir: 'snap' })
    symlinkSync('/tmp', made.path('snap', 'notes'))
    await add(made.context, 'decision', 'A')
    await add(made.context, 'note', 'B')
    for (const dry_run of [true, false]) {
      await expect(snapshot(made.context, { output_dir: 'snap', dry_run })).rejects.toMatchObject({
        code: 'conflict',
        message: 'notes is no folder; move it away',
      })
    }
    expect(readdirSync(made.path('snap')).toSorted()).toEqual(['README.md', 'notes', 'tasks'])
  })

  it('not in a folder with something else in it', async () => {
    await using made = await tree()
    mkdirSync(made.path('src'))
    writeFileSync(made.path('src/README.md'), '# Mine')
    await expect(snapshot(made.context, { output_dir: 'src' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(readFileSync(made.path('src/README.md'), 'utf8')).toBe('# Mine')
  })

  it('anywhere else inside the project', async () => {
    await using made = await tree()
    await add(made.context, 'note', 'A')
    await snapshot(made.context, { output_dir: 'docs/knowledge' })
    expect(existsSync(made.path('docs/knowledge/notes/a.md'))).toBe(true)
  })
})
