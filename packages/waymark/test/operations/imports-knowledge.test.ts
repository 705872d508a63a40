import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { getEntity, listEntities, updateEntity } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { importFrom } from '../../src/exchange/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { createRelation, listRelations } from '../../src/relation/operations.ts'
import { createTeam } from '../replica/clones.ts'
import type { Setup } from '../setup.ts'
import { projectWith, write } from './import-project.ts'

async function relationsOf({ context }: Setup, id: string): Promise<readonly string[]> {
  const { outgoing, incoming } = await execute(context, listRelations, { id })
  return [...outgoing, ...incoming].map(
    ({ source, type, target }) => `${source.number} ${type} ${target.number}`,
  )
}

function toLines(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

describe('the memory of server-memory', () => {
  const ada = {
    type: 'entity',
    name: 'Ada Park',
    entityType: 'person',
    observations: ['Likes short texts', 'Works\non search'],
  }
  const search = { type: 'entity', name: 'search', entityType: 'service', observations: [] }
  const works = { type: 'relation', from: 'Ada Park', to: 'search', relationType: 'works on' }
  const odd = { type: 'relation', from: 'search', to: 'Ada Park', relationType: '所有' }

  it('comes as notes and components with their relations [import-memory]', async () => {
    await using project = await projectWith({ 'memory.jsonl': toLines(ada, search, works, odd) })
    const { context } = project
    const done = await execute(context, importFrom, { format: 'server-memory' })
    expect(done).toEqual({
      format: 'memory',
      path: 'memory.jsonl',
      dry_run: false,
      found: 2,
      created: 2,
      updated: 0,
      unchanged: 0,
      left_out: 0,
      remarks: ['relation "所有" became references'],
    })
    expect(await execute(context, getEntity, { id: '1' })).toMatchObject({
      type: 'note',
      title: 'Ada Park',
      content: '- Likes short texts\n- Works\n  on search',
      properties: { note_type: 'person' },
      trust: { imported_from: 'memory' },
    })
    expect(await execute(context, getEntity, { id: '2' })).toMatchObject({
      type: 'component',
      properties: { component_type: 'service' },
    })
    expect(await relationsOf(project, '1')).toEqual(['1 works_on 2', '2 references 1'])
  })

  it('repeated, it doubles nothing, brings what changed there and keeps what was edited here [import-memory-repeated]', async () => {
    await using project = await projectWith({ 'memory.jsonl': toLines(ada, search, works) })
    const { context } = project
    await execute(context, importFrom, { format: 'memory' })
    await execute(context, updateEntity, { id: '2', content: 'Ours' })
    const again = await execute(context, importFrom, { format: 'memory' })
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
    const more = { ...ada, observations: [...ada.observations, 'Left'] }
    write(project, 'memory.jsonl', toLines(more, search, works))
    const changed = await execute(context, importFrom, { format: 'memory' })
    expect(changed).toMatchObject({ created: 0, updated: 1, unchanged: 1 })
    const { entities } = await execute(context, listEntities, {})
    expect(entities.map(({ content }) => content)).toEqual([
      '- Likes short texts\n- Works\n  on search\n- Left',
      'Ours',
    ])
    // A type that changes there cannot change here; the rest does.
    write(project, 'memory.jsonl', toLines(more, { ...search, entityType: 'idea' }, works))
    const retyped = await execute(context, importFrom, { format: 'memory' })
    expect(retyped).toMatchObject({ updated: 1, left_out: 0 })
    expect(await execute(context, getEntity, { id: '2' })).toMatchObject({
      type: 'component',
      properties: { component_type: 'service', status: 'active', external_ref: 'memory:search' },
    })
    expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
  })

  it('keeps the place that it came from when it is changed or sent to another clone', async () => {
    await using team = createTeam()
    const [one, other] = [await team.clone('ada'), await team.clone('bo')]
    const file = '# 1. Use SQLite\n\n## Status\n\nProposed\n'
    write(one, 'adr/0001-use-sqlite.md', file)
    await one.run(importFrom, { format: 'adr' })
    await one.run(updateEntity, { id: '1', properties: { status: 'accepted' } })
    await one.sync()
    await other.sync()
    write(other, 'adr/0001-use-sqlite.md', file)
    expect(await other.run(importFrom, { format: 'adr' })).toMatchObject({ unchanged: 1 })
    expect(await other.run(getEntity, { id: '1' })).toMatchObject({
      properties: { status: 'accepted', external_ref: 'adr:adr/0001-use-sqlite.md' },
    })
  })

  it('with a line that is cut off is refused whole, by the number of the line', async () => {
    await using project = await projectWith({ 'memory.jsonl': `${toLines(ada)}{"type":"ent` })
    const refused = execute(project.context, importFrom, { format: 'memory' })
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'path: line 2 is not a JSON object; nothing was imported',
    })
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 0 })
  })

  it('that clones imported before they met is there once after the next import', async () => {
    await using team = createTeam()
    const [one, other] = [await team.clone('ada'), await team.clone('bo')]
    for (const clone of [one, other]) {
      write(clone, 'memory.jsonl', toLines(ada, search, works))
      await clone.run(importFrom, { format: 'memory' })
    }
    await one.sync()
    await other.sync()
    await one.sync()
    const { remarks } = await one.run(importFrom, { format: 'memory' })
    expect(remarks).toEqual([
      expect.stringMatching(/^#\d was deleted: it is #\d once more$/),
      expect.stringMatching(/^#\d was deleted: it is #\d once more$/),
    ])
    expect(await one.run(listEntities, {})).toMatchObject({ total: 2 })
  })
})

const NYGARD = {
  'doc/adr/0001-record-decisions.md':
    '# 1. Record decisions\n\nDate: 2016-02-12\n\n## Status\n\nSuperseded by [2. Use MADR](0002-use-madr.md)\n\n## Context\n\nWe forget.\n\n### Who\n\nAll of us.\n\n## Decision\n\nWrite them down.\n\n## Consequences\n\nFewer questions.\n\nMore\nfiles.\n',
  'doc/adr/0002-use-madr.md':
    '# 2. Use MADR\n\nDate: 2017-03-04\n\n## Status\n\nAccepted\n\nSupersedes [1. Record decisions](0001-record-decisions.md)\n\n## Context\n\nSee [3](0003-short.md).\n\n## Decision\n\nMADR.\n\n## Consequences\n\n```\n## not a heading\n```\n',
  'doc/adr/0003-short.md': '# 3. Short\n\n## Status\n\nRejected\n\n## Decision\n\nNo.\n',
  'doc/adr/README.md': '# Decisions\n\nOur list.\n',
  'doc/adr/template.md': '# NUMBER. TITLE\n\n## Status\n\nSTATUS\n',
}

const MADR = {
  'docs/decisions/0001-use-plain-text.md': `---
status: superseded by ADR-0002
date: 2024-05-06
decision-makers: [ann, bo]
tags: text, format
---

# Use plain text

## Context and Problem Statement

Which format?

## Decision Drivers

* size

## Considered Options

* Plain text
* Markdown

## Decision Outcome

Chosen option: "Plain text", because it is small.

### Consequences

* Good, because it is small
* Bad, because links are
  missing

### Confirmation

By review.

## Pros and Cons of the Options

### Plain text

* Good, small
`,
  'docs/decisions/0002-use-markdown.md':
    '# Use Markdown\n\n* Status: accepted\n* Deciders: ann\n* Date: 2024-06-07\n\n## Decision Outcome\n\nMarkdown.\n',
}

describe('records of decisions', () => {
  it('of adr-tools come with status, date, context, consequences and successor [import-adr-nygard]', async () => {
    await using project = await projectWith(NYGARD)
    const { context } = project
    const done = await execute(context, importFrom, { format: 'adr' })
    expect(done).toMatchObject({
      path: 'doc/adr',
      found: 3,
      created: 3,
      remarks: [
        'doc/adr/README.md is no record of a decision and was left out',
        'doc/adr/template.md is no record of a decision and was left out',
      ],
    })
    expect(await execute(context, getEntity, { id: '1' })).toMatchObject({
      type: 'decision',
      title: 'Record decisions',
      content: 'Write them down.',
      properties: {
        status: 'superseded',
        context: 'We forget.\n\n### Who\n\nAll of us.',
        consequences: ['Fewer questions.', 'More files.'],
      },
      created_at: '2016-02-12T00:00:00.000Z',
      linked: { superseded_by: { number: 2 } },
    })
    expect(await execute(context, getEntity, { id: '2' })).toMatchObject({
      content: 'MADR.\n\n## Consequences\n\n```\n## not a heading\n```',
      properties: { status: 'accepted', consequences: [] },
    })
    expect(await execute(context, getEntity, { id: '3' })).toMatchObject({
      tags: ['rejected'],
      properties: { status: 'deprecated' },
    })
    expect(await relationsOf(project, '2')).toEqual(['2 references 3', '2 supersedes 1'])
    const again = await execute(context, importFrom, { format: 'adr' })
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
  })

  it('of MADR come from front matter or headings, and nothing of them is lost [import-adr-madr]', async () => {
    await using project = await projectWith(MADR)
    const { context } = project
    expect(await execute(context, importFrom, { format: 'madr' })).toMatchObject({
      created: 2,
      remarks: [],
    })
    expect(await execute(context, getEntity, { id: '1' })).toMatchObject({
      title: 'Use plain text',
      content:
        'Chosen option: "Plain text", because it is small.\n\n## Decision Drivers\n\n* size\n\n## Considered Options\n\n* Plain text\n* Markdown\n\n### Confirmation\n\nBy review.\n\n## Pros and Cons of the Options\n\n### Plain text\n\n* Good, small\n\n## People\n\n- decision-makers: ann, bo',
      tags: ['text', 'format'],
      properties: {
        status: 'superseded',
        context: 'Which format?',
        consequences: ['Good, because it is small', 'Bad, because links are missing'],
      },
      linked: { superseded_by: { number: 2 } },
    })
    expect(await execute(context, getEntity, { id: '2' })).toMatchObject({
      content: '* Deciders: ann\n\nMarkdown.',
      properties: { status: 'accepted' },
      created_at: '2024-06-07T00:00:00.000Z',
    })
  })
})

describe('Markdown', () => {
  const files = {
    'docs/guide.md':
      '# The guide\n\nRead [the rules](rules/style.md#short) first.\n\n## More\n\nText.\n',
    'docs/rules/style.md':
      '---\ntitle: Style\ntags: [team, "#text"]\nauthor: kim\nlayout: page\n---\n\n# Heading\n\n[Up](../guide.md)\n',
    'docs/plain.md': 'No heading.\n',
    'docs/empty.md': '\n',
    'docs/rule.md': '---\nnot: [yaml\n---\ntext\n',
    'docs/image.png': '',
    'docs/.hidden/a.md': '# Hidden\n',
  }

  it('in another encoding is left out of a folder and refused alone [import-encoding]', async () => {
    await using project = await projectWith({ 'docs/a.md': '# A\n' })
    const { context, directory } = project
    writeFileSync(join(directory, 'docs/b.md'), Buffer.from('\uFEFF# Größe\n', 'utf16le'))
    const run = (path: string) => execute(context, importFrom, { format: 'markdown', path })
    expect(await run('docs')).toMatchObject({
      created: 1,
      remarks: ['docs/b.md is not UTF-8 text and was left out'],
    })
    await expect(run('docs/b.md')).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'path: docs/b.md is not UTF-8 text; convert it first',
    })
  })

  it('comes as a note for each file, with tags and references [import-markdown]', async () => {
    await using project = await projectWith(files)
    const { context, directory } = project
    mkdirSync(join(directory, 'outside'))
    writeFileSync(join(directory, 'outside/secret.md'), '# Secret\n')
    symlinkSync('../outside', join(directory, 'docs/linked'))
    symlinkSync('../outside/secret.md', join(directory, 'docs/secret.md'))
    const done = await execute(context, importFrom, { format: 'markdown', path: './docs/' })
    expect(done).toMatchObject({ found: 4, created: 4 })
    expect(new Set(done.remarks)).toEqual(
      new Set([
        'docs/linked is a link or no regular file and was left out',
        'docs/secret.md is a link or no regular file and was left out',
        'docs/empty.md is empty and was left out',
        'field layout was not taken over',
        expect.stringMatching(/^the front matter of docs\/rule.md cannot be read: .* not YAML/),
      ]),
    )
    const { entities } = await execute(context, listEntities, { type: 'note' })
    expect(entities.map(({ title, content, tags }) => ({ title, content, tags }))).toEqual([
      {
        title: 'The guide',
        content: 'Read [the rules](rules/style.md#short) first.\n\n## More\n\nText.',
        tags: [],
      },
      { title: 'plain', content: 'No heading.', tags: [] },
      { title: 'rule', content: '---\nnot: [yaml\n---\ntext', tags: [] },
      { title: 'Style', content: '# Heading\n\n[Up](../guide.md)', tags: ['team', 'text'] },
    ])
    expect(await relationsOf(project, '1')).toEqual(['1 references 4', '4 references 1'])
    const again = await execute(context, importFrom, { format: 'md', path: 'docs' })
    expect(again).toMatchObject({ created: 0, unchanged: 4 })
    const one = await execute(context, importFrom, { format: 'markdown', path: 'docs/plain.md' })
    expect(one).toMatchObject({ found: 1, unchanged: 1 })
  })

  it.each([
    [{ format: 'jira' }, 'format: must be one of beads, task_master, backlog, lodestar, memory'],
    [{ format: 'markdown', path: 'none' }, 'path: none is not in the project; name the file'],
    [{ format: 'adr' }, 'path: none of docs/adr, docs/decisions, doc/adr'],
    [{ format: 'memory', path: 'docs/guide.md' }, 'path: line 1 is not a JSON object'],
    [{ format: 'adr', path: 'docs/guide.md' }, 'path: docs/guide.md is no record of a decision'],
    [{ format: 'markdown', path: 'docs/empty.md' }, 'path: docs/empty.md is empty'],
  ])('%o is refused with what is allowed', async (input, message) => {
    await using project = await projectWith(files)
    await expect(execute(project.context, importFrom, input)).rejects.toMatchObject({
      message: expect.stringContaining(message),
    })
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 0 })
    expect(await execute(project.context, listEvents, {})).toMatchObject({ events: [] })
  })

  it('that is hostile is refused, left out or shown, and stops nothing [import-hostile]', async () => {
    const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, at) => `b${at}: &b${at} [*a, *a, *a, *a, *a]`).join('\n')}`
    await using project = await projectWith({
      'docs/bomb.md': `---\n${bomb}\n---\ntext\n`,
      'docs/links.md': '](a'.repeat(100_000),
      'docs/large.md': `# Large\n\n${'x'.repeat(200_000)}\n`,
      'docs/nul.md': '# N\u0000L\n',
      'docs/escape.md': '# \u001b[31mRed\n\nText.\n',
      [`docs/${Array.from({ length: 25 }, () => 'd').join('/')}/deep.md`]: '# Deep\n',
    })
    const done = await execute(project.context, importFrom, { format: 'markdown' })
    const { entities } = await execute(project.context, listEntities, {})
    expect(entities.map(({ title }) => title)).toEqual(['bomb', '\u001b[31mRed'])
    expect(done.remarks).toEqual([
      expect.stringMatching(/^docs(\/d){21} is nested too deep and was left out$/),
      expect.stringMatching(/^the front matter of docs\/bomb.md cannot be read: .*alias count/),
      expect.stringMatching(/^docs\/large.md was left out: content: must have at most/),
      expect.stringMatching(/^docs\/links.md was left out: content: must have at most/),
      expect.stringMatching(/^docs\/nul.md was left out: title/),
    ])
  })
})

it.each([
  ['adr', 'docs/adr/0002-b.md', '# 2. Own\n\n## Status\n\nAccepted\n\n## Decision\n\nSo.\n'],
  ['markdown', 'docs/b.md', '# Own\n'],
  ['backlog', 'backlog/tasks/task-2.md', '---\nid: task-2\ntitle: Own\n---\n'],
])(
  'a folder of %s brings its own files, and none that a link in it leads to [import-folder-links]',
  async (format, path, text) => {
    await using project = await projectWith({ [path]: text })
    await using other = await projectWith({ [path]: text.replace('Own', 'Foreign') })
    const folder = join(project.directory, dirname(path))
    const foreign = join(other.directory, path)
    symlinkSync(foreign, join(folder, basename(path).replace('2', '3').replace('b.md', 'c.md')))
    symlinkSync(dirname(foreign), join(folder, 'more'))
    const done = await execute(project.context, importFrom, { format })
    const { entities } = await execute(project.context, listEntities, {})
    expect(entities.map(({ title }) => title)).toEqual(['Own'])
    expect(done.remarks.join()).toContain('no regular file and was left out')
  },
)

it('a word that every object of JavaScript inherits is a word like any other [import-inherited-words]', async () => {
  const issue = {
    id: 'bd-1',
    title: 'One',
    status: 'constructor',
    dependencies: [{ depends_on_id: 'bd-1', type: 'valueOf' }],
  }
  const task = { id: 1, title: 'Two', status: 'toString', priority: 'constructor' }
  await using project = await projectWith({
    'docs/adr/1-a.md': '# A\n\n## Status\n\nconstructor\n\n## Constructor\n\nKept.\n',
    'backlog/tasks/task-1 - b.md': '---\nid: task-1\ntitle: B\nstatus: Constructor\n---\n',
    '.beads/issues.jsonl': toLines(issue),
    '.taskmaster/tasks/tasks.json': JSON.stringify({ master: { tasks: [task] } }),
  })
  const { context } = project
  for (const format of ['adr', 'backlog', 'beads', 'task_master']) {
    const counts = await execute(context, importFrom, { format })
    expect(counts, format).toMatchObject({ created: 1, left_out: 0 })
  }
  expect(await execute(context, getEntity, { id: '1' })).toMatchObject({
    content: expect.stringContaining('## Constructor\n\nKept.'),
    tags: ['constructor'],
    properties: { status: 'proposed' },
  })
  for (const [id, tag] of Object.entries({ 2: 'Constructor', 3: 'constructor', 4: 'toString' })) {
    expect(await execute(context, getEntity, { id })).toMatchObject({
      tags: [tag],
      properties: { status: 'todo' },
    })
  }
  await execute(context, createRelation, { source: '1', type: 'constructor', target: '2' })
  expect(await relationsOf(project, '1')).toEqual(['1 constructor 2'])
})
