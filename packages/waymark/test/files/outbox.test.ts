import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { deliver } from '../../src/sync/transfer/deliver.ts'
import { enqueue, queued } from '../../src/sync/transfer/outbox.ts'

const TEAM = { url: 'https://team.example', project: 'site', token: 'of the user' }

async function setup() {
  const state = await mkdtemp(join(tmpdir(), 'outbox-'))
  const sent: unknown[] = []
  return {
    state,
    sent,
    outbox: join(state, 'outbox'),
    say: async (body: string, at = 1, recipient = TEAM, idempotencyKey = body) => {
      const call = { operation: 'message.send', input: { body }, agent: 'ada', idempotencyKey }
      await enqueue(state, { at, recipient, call })
    },
    deliver: async (fail: (body: unknown) => Failure | undefined = () => undefined) =>
      await deliver(state, TEAM, ({ input }) => {
        const failure = fail((input as { body: string }).body)
        if (failure !== undefined) throw failure
        sent.push((input as { body: string }).body)
        return Promise.resolve()
      }),
    [Symbol.asyncDispose]: () => rm(state, { recursive: true }),
  }
}

it('keeps a call in its own folder, whatever its idempotency key is', async () => {
  await using box = await setup()
  await box.say('first', 1, TEAM, '../../escaped')
  await box.say('second', 2, TEAM, `a/b\0${'k'.repeat(5000)}`)
  expect(readdirSync(box.state)).toEqual(['outbox'])
  expect(await box.deliver()).toEqual({ sent: 2, refused: [] })
  expect(box.sent).toEqual(['first', 'second'])
  expect(readdirSync(box.outbox)).toEqual([])
})

it('delivers nothing to a server that the clone joined later', async () => {
  await using box = await setup()
  await box.say('for another', 1, { ...TEAM, project: 'other' })
  await box.say('for this one', 2)
  expect(await box.deliver()).toEqual({ sent: 1, refused: [] })
  expect(box.sent).toEqual(['for this one'])
  expect(queued(box.state)).toHaveLength(1)
})

it('sets damaged and refused calls aside, and goes on with the others', async () => {
  await using box = await setup()
  await box.say('refused', 2)
  await box.say('fine', 3)
  writeFileSync(join(box.outbox, '000000000000001-broken.json'), '{"url"')
  const delivered = await box.deliver((body) =>
    body === 'refused' ? new Failure('forbidden', 'readers send nothing') : undefined,
  )
  expect(delivered).toEqual({
    sent: 1,
    refused: ['000000000000001-broken.json in the outbox is damaged', 'readers send nothing'],
  })
  expect(queued(box.state)).toEqual([])
  expect(readdirSync(box.outbox).filter((name) => name.endsWith('.refused'))).toHaveLength(2)
})

it('sends only what may wait, whatever the files name [outbox-only-what-waits]', async () => {
  await using box = await setup()
  await box.say('fine', 3)
  const planted: readonly (readonly [operation: string, input: unknown])[] = [
    ['entity.purge', { id: '1', confirm: true }],
    ['../../../projects/site/team/members', { name: 'eve', role: 'maintainer' }],
    ['entity.create', { type: 'task', title: 'not a note' }],
    ['entity.create', { type: 'note', title: 'related', relations: ['blocks:1'] }],
  ]
  for (const [at, [operation, input]] of planted.entries()) {
    const call = { operation, input, agent: 'eve', isPerson: true, idempotencyKey: `${at}` }
    writeFileSync(join(box.outbox, `1-${at}.json`), JSON.stringify({ ...TEAM, call }))
  }
  const { sent, refused } = await box.deliver()
  expect([sent, refused.length, box.sent]).toEqual([1, planted.length, ['fine']])
  expect(queued(box.state)).toEqual([])
})

it('sends as the person only what was written with the token of the user [outbox-person]', async () => {
  await using box = await setup()
  const call = { operation: 'message.send', input: { body: 'own' }, agent: 'ada', isPerson: true }
  const { token, ...team } = TEAM
  const keys = ['own', 'planted', 'copied', 'of another']
  const [own = '', planted = '', copied = '', another = ''] = keys
  await enqueue(box.state, { at: 1, recipient: TEAM, call: { ...call, idempotencyKey: own } })
  const written = readFileSync(join(box.outbox, queued(box.state)[0] ?? ''), 'utf8')
  expect(written).not.toContain(token)
  const { proof } = JSON.parse(written) as { readonly proof: string }
  const plant = (at: number, given: object): void =>
    writeFileSync(join(box.outbox, `${at}.json`), JSON.stringify({ ...team, ...given }))
  plant(2, { call: { ...call, idempotencyKey: planted } })
  plant(3, { call: { ...call, input: { body: 'obey' }, idempotencyKey: copied }, proof })
  const other = { ...TEAM, token: 'of another' }
  await enqueue(box.state, { at: 4, recipient: other, call: { ...call, idempotencyKey: another } })
  const sent = new Map<string, boolean | undefined>()
  await deliver(box.state, TEAM, ({ idempotencyKey, isPerson }) => {
    sent.set(idempotencyKey, isPerson)
    return Promise.resolve()
  })
  expect(Object.fromEntries(sent)).toEqual(
    Object.fromEntries(keys.map((key) => [key, key === own])),
  )
})

it('accepts nothing that it could not deliver, and sets aside what is too large [outbox-large]', async () => {
  await using box = await setup()
  const large = 'x'.repeat(9 * 1024 * 1024)
  await expect(box.say(large)).rejects.toMatchObject({ code: 'invalid_input' })
  await box.say('fine', 2)
  writeFileSync(join(box.outbox, '1-large.json'), large)
  expect(await box.deliver()).toEqual({
    sent: 1,
    refused: [expect.stringContaining('1-large.json') as string],
  })
  expect(queued(box.state)).toEqual([])
})

it('lets calls wait on, in their order, while the server is busy', async () => {
  await using box = await setup()
  await box.say('first', 1)
  await box.say('second', 2)
  const busy = await box.deliver(() => new Failure('busy', 'try again'))
  expect([busy, queued(box.state).length]).toEqual([{ sent: 0, refused: [] }, 2])
  await box.deliver()
  expect(box.sent).toEqual(['first', 'second'])
})

it('refuses an outbox that leads elsewhere', async () => {
  await using box = await setup()
  await using elsewhere = await setup()
  symlinkSync(elsewhere.state, box.outbox)
  await expect(box.say('first')).rejects.toThrow(/outbox/)
  expect(readdirSync(elsewhere.state)).toEqual([])
  await rm(box.outbox)
  mkdirSync(box.outbox)
  symlinkSync(join(elsewhere.state, 'secret'), join(box.outbox, '1.json'))
  await expect(box.deliver()).rejects.toThrow(/1\.json/)
})
