import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface EndpointRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly model: string
  readonly input: readonly string[]
}

export interface FakeEndpoint extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly EndpointRequest[]
  /** Answers every further request with this status, or with this body. */
  breakWith(answer: number | string): void
  mend(): void
}

/** What the texts of the tests are about, one dimension for each subject: a model that does know synonyms. */
const SUBJECTS = [/database|sql|postgres|storage/i, /login|auth|password|session/i, /colou?r|css/i]

/** An embedding API in the form of OpenAI's, on a port of this machine. */
export async function startEndpoint(): Promise<FakeEndpoint> {
  const requests: EndpointRequest[] = []
  let broken: number | string | undefined
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const asked = JSON.parse(body) as { model: string; input?: string[]; documents?: string[] }
      const { model, documents = [], input = documents } = asked
      requests.push({
        path: request.url ?? '',
        authorization: request.headers.authorization,
        model,
        input,
      })
      const data = input.map((text, index) => ({ index, embedding: toVector(text) })).toReversed()
      if (typeof broken === 'number') response.writeHead(broken, { location: '/elsewhere' })
      // The reranker likes long texts.
      const results = documents.map(({ length }, index) => ({ index, relevance_score: length }))
      response.end(typeof broken === 'string' ? broken : JSON.stringify({ data, results }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    breakWith: (answer) => {
      broken = answer
    },
    mend: () => {
      broken = undefined
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toVector(text: string): number[] {
  return [...SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0)), 0.1]
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
