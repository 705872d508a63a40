import { expect } from 'vitest'
import { createEntity } from '../../src/entity/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import type { Clone, Team } from './clones.ts'

/** Two clones that know the same, and a remote that anyone may push to. */
export async function createVictims(team: Team): Promise<readonly [Clone, Clone]> {
  const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
  await ada.run(createEntity, { type: 'note', title: 'honest' })
  await ada.sync()
  await bob.sync()
  return [ada, bob]
}

export async function expectAgreed(...clones: readonly Clone[]): Promise<void> {
  for (const clone of [...clones, ...clones]) await clone.sync()
  const [first, ...others] = await Promise.all(clones.map((clone) => clone.snapshot()))
  for (const other of others) expect(other).toEqual(first)
  for (const clone of clones) {
    const { checks } = await clone.run(checkStore, {})
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
  }
}
