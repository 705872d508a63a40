import { expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { waymark } from './binary.ts'
import { inspect } from './inspector.ts'

it.each(['legacy', 'modern'] as const)(
  'the Inspector lists the tools of the medulla dialect in the %s era',
  async (era) => {
    await using repository = createRepository()
    await waymark(repository.directory, ['init'])
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
