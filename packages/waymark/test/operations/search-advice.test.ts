import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { searchByText } from '../../src/search/operations.ts'
import { setup } from '../setup.ts'

async function projectWith(...given: readonly { readonly title: string; content: string }[]) {
  const project = await setup()
  for (const note of given) {
    await execute(project.context, createEntity, { type: 'note', ...note })
  }
  return project
}

describe('what an answer says about itself', () => {
  it('what matches a little is called weak, and chance matches are few [search-weak-matches]', async () => {
    await using project = await projectWith(
      ...Array.from({ length: 20 }, (_, at) => ({ title: `Order ${at}`, content: 'as usual' })),
      { title: 'Vacuum', content: 'nightly' },
    )
    const page = await execute(project.context, searchByText, {
      query: 'why does the quantum flux capacitor overheat after each order of plutonium?',
    })
    expect(page.note).toContain('nothing is likely relevant')
    expect(page.results.length).toBeLessThanOrEqual(3)
  })

  it('an answer without results says what to try [search-nothing-found]', async () => {
    await using project = await projectWith({ title: 'Vacuum', content: 'nightly' })
    const page = await execute(project.context, searchByText, { query: 'xyzzyq blorptang' })
    expect(page).toMatchObject({
      results: [],
      total: 0,
      note: expect.stringContaining('try others'),
    })
  })
})
