import { createServer, type Server } from '@waymark/baton'
import { expect, it } from 'vitest'
import { isFullLevel } from '../../level.ts'
import { SEED } from '../../seed.ts'
import { createRandom } from '../../support/random.ts'
import { LegacyClient } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { createTestServer, describeHttp } from '../servers.ts'

const RACES = isFullLevel ? 500 : 100

/** A tool that takes a few turns, and how many of its calls run. */
function createRaceServer(turns: () => number): { server: Server; running: () => number } {
  let running = 0
  const server = createServer({ name: 'races', version: '1' }).tool({
    name: 'race',
    async run(_input, { signal }) {
      running += 1
      for (let turn = turns(); turn > 0 && !signal.aborted; turn -= 1) await nextTurn()
      running -= 1
      return { content: [{ type: 'text', text: 'finished' }] }
    },
  })
  return { server, running: () => running }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Timers and sockets that keep a process alive. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length
}

describeHttp('cancelling', (serve) => {
  it('affects the request of the same session, and no other with that id', async () => {
    const { server, gate } = createTestServer()
    await using served = await serve(server)
    const [alice, bob] = [await LegacyClient.connect(served), await LegacyClient.connect(served)]
    const hold = (client: LegacyClient, name: string): Promise<Response> =>
      client.post({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 'hold', arguments: { gate: name, quiet: true } },
      })
    const answers = [hold(alice, 'a'), hold(bob, 'b')]
    const [ofAlice, ofBob] = await Promise.all([gate('a').reached, gate('b').reached])
    const cancelled = await bob.notify('notifications/cancelled', { requestId: 7 })
    expect(cancelled.status).toBe(202)
    expect([ofAlice.aborted, ofBob.aborted]).toEqual([false, true])
    gate('a').open()
    gate('b').open()
    expect(await (await answers[0])?.json()).toMatchObject({ id: 7, result: {} })
    expect(await (await answers[1])?.text()).toBe('')
  })

  it(`in ${RACES} races in each era ends in at most one response, and leaves no call behind [cancellation-races-each]`, async () => {
    console.log(`races seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
    const random = createRandom(SEED)
    const before = handles()
    const { server, running } = createRaceServer(() => random.below(5))
    const counts = { answered: 0, withdrawn: 0 }
    {
      await using served = await serve(server)
      const client = await LegacyClient.connect(served)
      const settle = async (pending: Promise<Response>, id: number): Promise<void> => {
        const text = await pending.then((response) => response.text()).catch(() => '')
        if (text === '') counts.withdrawn += 1
        else {
          expect(JSON.parse(text)).toMatchObject({
            id,
            result: { content: [{ text: 'finished' }] },
          })
          counts.answered += 1
        }
      }
      const races: Promise<void>[] = []
      for (let id = 0; id < RACES; id += 1) {
        const cancel = (): Promise<unknown> =>
          client.notify('notifications/cancelled', { requestId: id }).then((said) => said.text())
        const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'race' } }
        if (random.below(10) === 0) await cancel()
        races.push(settle(client.post(call), id))
        for (let turn = random.below(3); turn > 0; turn -= 1) await nextTurn()
        if (random.below(2) > 0) await cancel()
        if (random.below(4) === 0) await cancel()

        const connection = new AbortController()
        const { signal } = connection
        const params = { name: 'race' }
        races.push(settle(sendModern(served, { method: 'tools/call', params, id, signal }), id))
        for (let turn = random.below(3); turn > 0; turn -= 1) await nextTurn()
        if (random.below(2) > 0) connection.abort()
        if (random.below(4) === 0) connection.abort()
      }
      await Promise.all(races)
      await expect.poll(running).toBe(0)
      expect((await client.request('ping')).status).toBe(200)
    }
    expect(counts.answered + counts.withdrawn).toBe(2 * RACES)
    expect(Math.min(counts.answered, counts.withdrawn)).toBeGreaterThan(0)
    await expect.poll(handles).toBeLessThanOrEqual(before)
  })
})
