import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createHttpApp, type HttpEndpoint } from '@waymark/baton/http'
import { listenHandler } from '@waymark/baton/node'
import { expect, test } from 'vitest'

const TEXT = 'ä → 😀\n'

/** Responds with the text repeated as often as the path says; shorter responses take longer. */
const repeat: HttpEndpoint = {
  async serve({ request, reply }) {
    const times = Number(request.path.slice(1))
    for (let turn = 0; turn < 20 / (times + 1); turn++) await new Promise(setImmediate)
    reply.send({ status: 200, body: TEXT.repeat(times) })
  },
}

/** Sends requests in one write and reads the responses only after all have arrived. */
async function exchange(port: number, requests: readonly string[]): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const heads = requests.map((line, at) => {
    const isLast = at === requests.length - 1
    return `${line} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${isLast ? 'connection: close\r\n' : ''}\r\n`
  })
  socket.write(heads.join(''))
  await new Promise((resolve) => socket.once('readable', resolve))
  return buffer(socket)
}

function splitAnswers(bytes: Buffer, requests: readonly string[]): string[] {
  let at = 0
  const bodies = requests.map((line) => {
    const bodyStart = bytes.indexOf('\r\n\r\n', at) + 4
    const head = bytes.toString('latin1', at, bodyStart)
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    const length = line.startsWith('HEAD') ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1])
    at = bodyStart + length
    return bytes.toString('utf8', bodyStart, at)
  })
  expect(at).toBe(bytes.length)
  return bodies
}

test('pipelined requests are answered completely, once and in order', async () => {
  await using listener = await listenHandler({ graceMs: 0 }, () =>
    createHttpApp({ authenticator: 'none', find: () => repeat }),
  )
  const counts = [1, 0, 400_000, 2, 0, 70_000, 3]
  const requests = counts.map((count) => `GET /${count}`)
  requests.splice(3, 0, 'HEAD /5')
  const bodies = splitAnswers(await exchange(listener.port, requests), requests)
  const expected = counts.map((count) => TEXT.repeat(count))
  expected.splice(3, 0, '')
  expect(bodies.map((body) => body.length)).toEqual(expected.map((body) => body.length))
  expect(bodies.every((body, at) => body === expected[at])).toBe(true)
})

test('a client that disconnects during a response does not affect others', async () => {
  const errors: unknown[] = []
  await using listener = await listenHandler({ graceMs: 0 }, () =>
    createHttpApp({ authenticator: 'none', find: () => repeat, onError: (e) => errors.push(e) }),
  )
  for (let round = 0; round < 5; round++) {
    const socket = connect(listener.port, '127.0.0.1')
    socket.write(`GET /400000 HTTP/1.1\r\nhost: 127.0.0.1:${listener.port}\r\n\r\n`.repeat(2))
    await new Promise((resolve) => socket.once('readable', resolve))
    socket.resetAndDestroy()
  }
  const [body] = splitAnswers(await exchange(listener.port, ['GET /1']), ['GET /1'])
  expect(body).toBe(TEXT)
  expect(errors).toEqual([])
})
