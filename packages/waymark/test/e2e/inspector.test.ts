import { expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { inspect } from './inspector.ts'

it.each(['legacy', 'modern'] as const)(
  'the Inspector lists the tools of the medulla dialect in the %s era',
  async (era) => {
    await using repository = await createProject()
    const names = await inspect(repository.directory, ['serve', '--dialect', 'medulla'], era)
    expect(names).toEqual(
      expect.arrayContaining([
        'entity_create',
        'entity_list',
        'relation_create',
        'graph_relations',
      ]),
    )
  },
)
