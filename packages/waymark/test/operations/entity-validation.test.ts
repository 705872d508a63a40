import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, listEntities, updateEntity } from '../../src/entity/operations.ts'
import { setup } from '../setup.ts'

const KIB = 1024

/** [what is sent, the field that is named, the rule that is broken] */
const REFUSED: Record<string, [object, string, string]> = {
  'no title': [{ type: 'note' }, 'title', 'required'],
  'an empty title': [{ type: 'note', title: '' }, 'title', 'required'],
  'a blank title': [{ type: 'note', title: ' \t ' }, 'title', 'required'],
  'a title of 501 characters': [{ type: 'note', title: 'x'.repeat(501) }, 'title', 'too_long'],
  'a title that is a number': [{ type: 'note', title: 5 }, 'title', 'wrong_type'],
  'a title with a lone surrogate': [{ type: 'note', title: 'a\ud800' }, 'title', 'bad_format'],
  'a title with NUL': [{ type: 'note', title: 'a\0b' }, 'title', 'bad_format'],
  'no type': [{ title: 'x' }, 'type', 'required'],
  'an unknown type': [{ type: 'story', title: 'x' }, 'type', 'not_one_of'],
  'content over 100 KB': [
    { type: 'note', title: 'x', content: 'é'.repeat(50 * KIB + 1) },
    'content',
    'too_large',
  ],
  '51 tags': [
    { type: 'note', title: 'x', tags: Array.from({ length: 51 }, (_, at) => `t${at}`) },
    'tags',
    'too_many',
  ],
  'an empty tag': [{ type: 'note', title: 'x', tags: ['a', ''] }, 'tags.1', 'required'],
  'a tag of 101 characters': [
    { type: 'note', title: 'x', tags: ['x'.repeat(101)] },
    'tags.0',
    'too_long',
  ],
  'tags that are no list': [{ type: 'note', title: 'x', tags: 'a' }, 'tags', 'wrong_type'],
  'properties that are no object': [
    { type: 'note', title: 'x', properties: [] },
    'properties',
    'wrong_type',
  ],
  'a decision status': [
    { type: 'decision', title: 'x', properties: { status: 'done' } },
    'properties.status',
    'not_one_of',
  ],
  'a decision context over 50 KB': [
    { type: 'decision', title: 'x', properties: { context: 'x'.repeat(50 * KIB + 1) } },
    'properties.context',
    'too_large',
  ],
  'a consequence over 1 KB': [
    { type: 'decision', title: 'x', properties: { consequences: ['ok', 'x'.repeat(KIB + 1)] } },
    'properties.consequences.1',
    'too_large',
  ],
  'superseded_by without status superseded': [
    { type: 'decision', title: 'x', properties: { superseded_by: '1' } },
    'properties.status',
    'not_one_of',
  ],
  'a task status': [
    { type: 'task', title: 'x', properties: { status: 'accepted' } },
    'properties.status',
    'not_one_of',
  ],
  'a task priority': [
    { type: 'task', title: 'x', properties: { priority: 'asap' } },
    'properties.priority',
    'bad_format',
  ],
  'a due date in words': [
    { type: 'task', title: 'x', properties: { due_date: 'friday' } },
    'properties.due_date',
    'bad_format',
  ],
  'a due date that does not exist': [
    { type: 'task', title: 'x', properties: { due_date: '2026-02-30' } },
    'properties.due_date',
    'bad_format',
  ],
  'an empty assignee': [
    { type: 'task', title: 'x', properties: { assignee: '' } },
    'properties.assignee',
    'required',
  ],
  'an assignee of 101 characters': [
    { type: 'task', title: 'x', properties: { assignee: 'x'.repeat(101) } },
    'properties.assignee',
    'too_long',
  ],
  'a note type of 51 characters': [
    { type: 'note', title: 'x', properties: { note_type: 'x'.repeat(51) } },
    'properties.note_type',
    'too_long',
  ],
  'a template over 50 KB': [
    { type: 'prompt', title: 'x', properties: { template: 'x'.repeat(50 * KIB + 1) } },
    'properties.template',
    'too_large',
  ],
  'an empty variable': [
    { type: 'prompt', title: 'x', properties: { variables: [''] } },
    'properties.variables.0',
    'required',
  ],
  'a variable of 101 characters': [
    { type: 'prompt', title: 'x', properties: { variables: ['x'.repeat(101)] } },
    'properties.variables.0',
    'too_long',
  ],
  'an output schema that is no JSON': [
    { type: 'prompt', title: 'x', properties: { output_schema: '{' } },
    'properties.output_schema',
    'bad_format',
  ],
  'an output schema over 10 KB': [
    {
      type: 'prompt',
      title: 'x',
      properties: { output_schema: JSON.stringify('x'.repeat(10 * KIB)) },
    },
    'properties.output_schema',
    'too_large',
  ],
  'a component type of 51 characters': [
    { type: 'component', title: 'x', properties: { component_type: 'x'.repeat(51) } },
    'properties.component_type',
    'too_long',
  ],
  'a component status': [
    { type: 'component', title: 'x', properties: { status: 'todo' } },
    'properties.status',
    'not_one_of',
  ],
  'an owner of 101 characters': [
    { type: 'component', title: 'x', properties: { owner: 'x'.repeat(101) } },
    'properties.owner',
    'too_long',
  ],
  'a link without url': [{ type: 'link', title: 'x' }, 'properties.url', 'required'],
  'a link that is no address': [
    { type: 'link', title: 'x', properties: { url: 'example' } },
    'properties.url',
    'bad_format',
  ],
  'a link that runs code': [
    { type: 'link', title: 'x', properties: { url: 'javascript:alert(1)' } },
    'properties.url',
    'bad_format',
  ],
  'a url over 2 KB': [
    { type: 'link', title: 'x', properties: { url: `https://example.org/${'x'.repeat(2 * KIB)}` } },
    'properties.url',
    'too_large',
  ],
  'a link type of 51 characters': [
    {
      type: 'link',
      title: 'x',
      properties: { url: 'https://example.org', link_type: 'x'.repeat(51) },
    },
    'properties.link_type',
    'too_long',
  ],
  'a relation without a type': [
    { type: 'task', title: 'x', relations: ['12'] },
    'relations.0',
    'bad_format',
  ],
}

describe('what an entity may not be', () => {
  it.each(Object.entries(REFUSED))(
    '%s is refused, names the field and writes nothing',
    async (_, [input, field, rule]) => {
      await using project = await setup()
      const refused = execute(project.context, createEntity, input)
      await expect(refused).rejects.toSatisfy(
        (error) => error instanceof Failure && error.code === 'invalid_input',
      )
      await expect(refused).rejects.toMatchObject({ details: { field, rule } })
      await expect(refused).rejects.toThrow(field)
      expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 0 })
      expect(await project.context.store.events.latest()).toBe(0)
    },
  )

  it('an update is held to the same rules and leaves the entity as it was', async () => {
    await using project = await setup()
    const task = await execute(project.context, createEntity, { type: 'task', title: 'Write it' })
    const refused = execute(project.context, updateEntity, {
      id: task.id,
      title: 'Changed',
      properties: { due_date: 'soon' },
    })
    await expect(refused).rejects.toMatchObject({ details: { field: 'properties.due_date' } })
    const { entities } = await execute(project.context, listEntities, {})
    expect(entities).toEqual([task])
  })
})

describe('what an entity may be', () => {
  it('500 characters of title are counted as a reader counts them', async () => {
    await using project = await setup()
    const title = '🧭'.repeat(500)
    expect(await execute(project.context, createEntity, { type: 'note', title })).toMatchObject({
      title,
    })
  })

  it('102,400 bytes of content fit', async () => {
    await using project = await setup()
    const content = 'x'.repeat(100 * KIB)
    expect(
      await execute(project.context, createEntity, { type: 'note', title: 'x', content }),
    ).toMatchObject({ content })
  })

  it('words are read whatever their case, hyphens or plural', async () => {
    await using project = await setup()
    const input = {
      type: 'Tasks',
      title: 'x',
      properties: { status: 'In-Progress', priority: 'HIGH' },
    }
    const task = await execute(project.context, createEntity, input)
    expect(task).toMatchObject({
      type: 'task',
      properties: { status: 'in_progress', priority: 250 },
    })
  })

  it('defaults are filled in for every type', async () => {
    await using project = await setup()
    const made = async (type: string, properties = {}) =>
      (await execute(project.context, createEntity, { type, title: 'x', properties })).properties
    expect(await made('decision')).toEqual({ status: 'proposed', consequences: [] })
    expect(await made('task')).toEqual({ status: 'todo', priority: 500 })
    expect(await made('note')).toEqual({})
    expect(await made('prompt')).toEqual({ variables: [] })
    expect(await made('component')).toEqual({ status: 'active' })
    expect(await made('link', { url: 'https://example.org/a' })).toEqual({
      url: 'https://example.org/a',
    })
  })
})
