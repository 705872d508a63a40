import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { createEntity, deleteEntity, getEntity } from '../../src/entity/operations.ts'
import { purgeEntity } from '../../src/sync/history/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { type Setup, setup } from '../setup.ts'

const NOTES = 20
const NAMING: readonly Operation[] = [getEntity, deleteEntity, purgeEntity]

/** A note with an id that begins as it is told to. */
async function noteWithId(project: Setup, start: string): Promise<{ number: number }> {
  let isFirst = true
  const newId = () => {
    const id = crypto.randomUUID()
    if (!isFirst) return id
    isFirst = false
    const digits = start + id.replaceAll('-', '').slice(start.length)
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
  return await execute(project.as('ada', { newId }), createEntity, { type: 'note', title: start })
}

async function collisions(project: Setup): Promise<readonly string[]> {
  for (let at = 0; at < NOTES; at += 1) {
    await execute(project.context, createEntity, { type: 'note', title: `numbered ${at}` })
  }
  const words = Array.from({ length: NOTES }, (_, at) => String(at + 1).padStart(7, '0'))
  for (const word of words) await noteWithId(project, `${word}a`)
  return words
}

describe('digits that are a number and the beginning of an id', () => {
  it('pick neither: reading, deleting and purging name both [names-pick-neither]', async () => {
    await using project = await setup()
    for (const id of await collisions(project)) {
      const number = Number(id)
      for (const operation of NAMING) {
        const confirmed = 'confirm' in operation.input.shape ? { confirm: true } : {}
        await expect(
          execute(project.context, operation, { id, ...confirmed }),
        ).rejects.toMatchObject({
          code: 'ambiguous_id',
          details: {
            candidates: expect.arrayContaining([
              expect.objectContaining({ number }),
              expect.objectContaining({ number: number + NOTES }),
            ]),
          },
        })
      }
      for (const plain of [`#${id}`, `#${number}`, `${number}`]) {
        expect(await execute(project.context, getEntity, { id: plain })).toMatchObject({ number })
      }
      expect(await execute(project.context, getEntity, { id: `${id}a` })).toMatchObject({
        number: number + NOTES,
      })
    }
  })

  it('are the id if there is no such number, and a number where they are fewer than are shown', async () => {
    await using project = await setup()
    const { number } = await noteWithId(project, '1234567')
    expect(await execute(project.context, getEntity, { id: '1234567' })).toMatchObject({ number })
    await expect(execute(project.context, getEntity, { id: '123456' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('a key that looks like the id of another entity picks neither', async () => {
  await using project = await setup()
  const { number } = await noteWithId(project, 'deadbee')
  const keyed = await execute(project.context, createTask, { title: 'decoy', key: 'deadbee' })
  await expect(execute(project.context, getTask, { id: 'deadbee' })).rejects.toMatchObject({
    code: 'ambiguous_id',
    details: { candidates: [{ number: keyed.task.number }, { number }] },
  })
})
