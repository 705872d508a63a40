import { expect, it } from 'vitest'
import { createServer, type Server, TASKS_EXTENSION } from '@waymark/baton'
import { createIssuer } from '../../auth/issuer.ts'
import { createResource } from '../../auth/resource.ts'
import { MODERN_META } from '../../support/sample-server.ts'
import {
  eventsOf,
  type JsonMessage,
  LegacyClient,
  readAll,
  take,
  toMessage,
} from '../http-client.ts'
import { type ModernRequest, sendModern } from '../modern-client.ts'
import { describeHttp, type Serve } from '../servers.ts'

const META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
}
const WATCHED = 'test://watched'

const createWorking = (): Server =>
  createServer({ name: 'two', version: '1' }).tool({
    name: 'endless',
    task: 'required',
    run: () => new Promise(() => {}),
  })

/** Two principals of the same server. */
async function serveTwo(serve: Serve, server: Server) {
  const issuer = await createIssuer()
  const authenticator = createResource(issuer)
  const served = await serve(server, { authenticator })
  const person = async (sub: string) => {
    const token = await issuer.sign({ ...issuer.goodClaims(), sub })
    const headers = { authorization: `Bearer ${token}` }
    return {
      ask: (request: ModernRequest) => sendModern(served, { meta: META, ...request, headers }),
      session: () => LegacyClient.connect({ ...served, headers }),
    }
  }
  return {
    alice: await person('alice'),
    bob: await person('bob'),
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

const answerTo = async (response: Response): Promise<JsonMessage | undefined> =>
  (await readAll(response)).find(({ method }) => method === undefined)

describeHttp('handles of one principal', (serve) => {
  it('a task is unknown to other principals, in every method [foreign-handles-task-unknown]', async () => {
    await using two = await serveTwo(serve, createWorking())
    const started = await two.alice.ask({ method: 'tools/call', params: { name: 'endless' } })
    const taskId = String((await answerTo(started))?.result?.['taskId'])
    expect(taskId).toMatch(/^[\w-]{43}$/)
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const about = async (id: string) => {
        const params = { taskId: id, inputResponses: {} }
        return (await answerTo(await two.bob.ask({ method, params })))?.error
      }
      const foreign = await about(taskId)
      expect(foreign, method).toBeDefined()
      const { message } = (await about('A'.repeat(43))) ?? {}
      expect(foreign?.message.replace(taskId, ''), method).toBe(
        message?.replace('A'.repeat(43), ''),
      )
    }
    const notifications = { taskIds: [taskId], toolsListChanged: true }
    const stream = eventsOf(
      await two.bob.ask({ method: 'subscriptions/listen', params: { notifications } }),
    )
    const [acknowledged] = await take(stream, 1)
    expect(acknowledged?.data).not.toContain(taskId)
    await stream.return(undefined)
    const own = await two.alice.ask({ method: 'tasks/get', params: { taskId } })
    expect((await answerTo(own))?.result).toMatchObject({ status: 'working' })
  })

  it('a subscription is not ended by another principal that knows its id', async () => {
    const server = createWorking()
    await using two = await serveTwo(serve, server)
    const stream = eventsOf(
      await two.alice.ask({
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true } },
        id: 'alice-listens',
      }),
    )
    await take(stream, 1)
    const cancel = { requestId: 'alice-listens', reason: 'x' }
    const session = await two.bob.session()
    await (await session.notify('notifications/cancelled', cancel)).text()
    await (await two.bob.ask({ method: 'notifications/cancelled', params: cancel })).text()
    server.notify.toolsChanged()
    const [changed] = await take(stream, 1)
    expect(toMessage(changed!).method).toBe('notifications/tools/list_changed')
    await stream.return(undefined)
  })

  it('unsubscribing from a resource without a subscription does not affect others', async () => {
    const unsubscribed: string[] = []
    const server = createServer({
      name: 'watched',
      version: '1',
      handler: {
        listResources: () => [{ uri: WATCHED, name: 'watched' }],
        readResource: (uri) => ({ contents: [{ uri, text: 'x' }] }),
        subscribe: () => {},
        unsubscribe: (uri) => void unsubscribed.push(uri),
      },
    })
    await using two = await serveTwo(serve, server)
    const [alice, bob] = [await two.alice.session(), await two.bob.session()]
    await alice.call('resources/subscribe', { uri: WATCHED })
    await bob.call('resources/unsubscribe', { uri: WATCHED })
    expect(unsubscribed).toEqual([])
    await alice.call('resources/unsubscribe', { uri: WATCHED })
    await alice.call('resources/unsubscribe', { uri: WATCHED })
    expect(unsubscribed).toEqual([WATCHED])
  })
})
