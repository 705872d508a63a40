import { describe, expect, it } from 'vitest'
import { shell } from './shell.ts'

async function shellWithHeldTask() {
  const sh = await shell()
  await sh.run(['task', 'add', 'A'])
  await sh.run('task take --actor ada')
  return sh
}

describe('--force', () => {
  it.each(['cancel', 'complete', 'release', 'reopen', 'update --title B', 'delete'])(
    'task %s: a person takes the task from the agent that holds it',
    async (words) => {
      await using sh = await shellWithHeldTask()
      const [verb = '', ...rest] = words.split(' ')
      const force = ['--force', ...(verb === 'update' ? [] : ['--reason', 'stuck'])]
      expect(await sh.run(['task', verb, '1', ...rest, ...force])).toMatchObject({ exit: 0 })
      const { out } = await sh.run('events --type lease.ended --json')
      // What is deleted for good leaves no words in the events.
      const data = verb === 'delete' ? {} : { how: 'force' }
      expect(JSON.parse(out)).toMatchObject({ events: [{ agent: 'Test Author', data }] })
    },
  )

  it.each(['edit 1 --title B', 'assign 1 bo', 'rm 1'])(
    '`waymark %s` takes it too, and tells the agent why',
    async (words) => {
      await using sh = await shellWithHeldTask()
      const force = ['--force', '--reason', 'it is stuck']
      expect(await sh.run([...words.split(' '), ...force])).toMatchObject({ exit: 0, err: '' })
      expect((await sh.run('list --actor ada')).err).toContain(
        'lease_lost: the owner (Test Author) ended your lease on #1 (fence 1): it is stuck',
      )
    },
  )

  it('does nothing for an agent', async () => {
    await using sh = await shellWithHeldTask()
    for (const verb of ['cancel', 'complete', 'reopen', 'delete']) {
      expect(await sh.run(`task ${verb} 1 --force --actor bob`)).toMatchObject({
        exit: 4,
        err: expect.stringContaining('task 1 is held by ada'),
      })
    }
  })

  it('finds nothing to release of a task that no agent holds', async () => {
    await using sh = await shell()
    await sh.run(['task', 'add', 'A'])
    expect(await sh.run('task release 1 --force')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('no agent holds task 1; there is nothing to release'),
    })
  })

  it('is shown to a person at a terminal who needs it, and to no program', async () => {
    await using sh = await shellWithHeldTask()
    const refused = async (options: object, actor = '') =>
      (await sh.run(`task cancel 1 ${actor}`, options)).err
    expect(await refused({ interactive: true, columns: 120 })).toContain('; --force ends its lease')
    expect(await refused({ interactive: true }, '--actor bob')).not.toContain('--force')
    expect(await refused({})).not.toContain('--force')
  })
})
