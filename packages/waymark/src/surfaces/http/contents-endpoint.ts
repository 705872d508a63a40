import type {
  AdmittedRequest,
  HttpAnswer,
  HttpEndpoint,
  HttpReply,
  HttpRequest,
} from '@waymark/baton/http'
import type { ApiOptions } from './api-endpoint.ts'
import type { Engine } from '../serve/hosted-project.ts'
import { createRequestContext, toDenial } from './request-context.ts'

/** Headers that the content handler reads. */
const HEADERS = [
  'accept',
  'content-encoding',
  'content-length',
  'if-none-match',
  'if-range',
  'range',
]

/** `POST /cas` and `GET /cas/<hash>`: the bytes of artifacts, as a stream in both directions. */
export class ContentsEndpoint implements HttpEndpoint {
  readonly #options: ApiOptions
  readonly #path: string
  readonly #open: () => Promise<Engine>

  constructor(options: ApiOptions, path: string, open: () => Promise<Engine>) {
    this.#options = options
    this.#path = path
    this.#open = open
  }

  async serve(admitted: AdmittedRequest): Promise<void> {
    const { request, reply } = admitted
    const requestId = crypto.randomUUID()
    const logger = this.#options.logger.with({ request_id: requestId, method: request.method })
    reply.setHeader('x-request-id', requestId)
    const started = performance.now()
    const { access, span } = this.#options
    const answer = await this.#answer({ ...admitted, access, span, logger })
    const duration = Math.round(performance.now() - started)
    logger.info('content answered', { status: answer.status, duration_ms: duration })
    await sendAll(reply, answer)
  }

  async #answer(caller: Parameters<typeof createRequestContext>[1]): Promise<HttpAnswer> {
    const { request, principal } = caller
    const [{ handleContents }, { addArtifact, showArtifact }] = await Promise.all([
      import('./handle-contents.ts'),
      import('../../artifact/operations.ts'),
    ])
    const operation = request.method === 'POST' ? addArtifact : showArtifact
    const denial = toDenial(this.#options.authentication, principal, operation)
    if (denial !== undefined) return denial
    // No timeout: a large content may take long on a slow connection. Disconnects and idle connections are detected.
    const context = createRequestContext(await this.#open(), caller, this.#options.stopping)
    const response = await handleContents(toWebRequest(request), context, this.#path)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      ...(response.body !== null && { body: response.body }),
    }
  }
}

/** Sends a response and waits until its last byte was read, so that a graceful shutdown waits for it. */
async function sendAll(reply: HttpReply, answer: HttpAnswer): Promise<void> {
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

function toWebRequest(request: HttpRequest): Request {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== null) headers.set(name, value)
  }
  const query = request.query.toString()
  const url = `http://localhost${request.path}${query === '' ? '' : `?${query}`}`
  const { method } = request
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const body = ReadableStream.from(request.streamBody())
  return new Request(url, { method, headers, body, duplex: 'half' })
}
