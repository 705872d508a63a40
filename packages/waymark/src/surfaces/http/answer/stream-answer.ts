import type { HttpAnswer, HttpReply } from '@waymark/baton/http'

/** Sends a response and waits until its last byte was read, so that a graceful shutdown waits for it. */
export async function sendAll(reply: HttpReply, answer: HttpAnswer): Promise<void> {
  const { status, body } = answer
  const isContent = status === 200 || status === 206
  if (!isContent || body === undefined || typeof body === 'string') return reply.send(answer)
  await new Promise<void>((resolve) => {
    reply.onDisconnect(resolve)
    reply.send({ ...answer, body: announceEnd(body, resolve) })
  })
}

/** Not a generator: `return` on a generator that has not started runs no `finally`, so the source would stay open. */
function announceEnd(
  body: AsyncIterable<Uint8Array>,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  const source = body[Symbol.asyncIterator]()
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      let isOver = true
      try {
        const step = await source.next()
        isOver = step.done === true
        return step
      } finally {
        if (isOver) onEnd()
      }
    },
    async return() {
      onEnd()
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
