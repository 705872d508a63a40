import {
  type Probe,
  ProbeError,
  type ProbeOptions,
  resultOf,
  shakeHands,
  toProblem,
} from './probe.ts'

export interface Address {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What to do where the credential is refused. */
  readonly remedy: string
}

/** Speaks MCP over HTTP. Redirects are not followed: the credential is for this address only. */
export async function probeAddress(address: Address, { timeoutMs }: ProbeOptions): Promise<Probe> {
  let session: string | undefined
  let last = 0
  const signal = AbortSignal.timeout(timeoutMs)
  const post = async (message: object): Promise<Response> => {
    const response = await fetch(address.url, {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: {
        ...address.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && {
          'mcp-session-id': session,
          'mcp-protocol-version': '2025-11-25',
        }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    }).catch((error: unknown) => {
      throw new ProbeError(`cannot be reached at ${address.url}: ${reasonOf(error, timeoutMs)}`)
    })
    session ??= response.headers.get('mcp-session-id') ?? undefined
    return response
  }
  try {
    return await shakeHands(
      async (method, params) => {
        last += 1
        const response = await post({ id: last, method, params })
        return resultOf(await readMessage(response, last, address.remedy), method)
      },
      async (method) => {
        await (await post({ method })).body?.cancel()
      },
    )
  } catch (error) {
    return toProblem(error)
  }
}

/** The answer comes as JSON, or as one of several events. */
async function readMessage(response: Response, id: number, remedy: string): Promise<unknown> {
  // A header without a token, which an empty variable leaves behind, is no good request.
  const isChallenge = response.status === 400 && response.headers.has('www-authenticate')
  if (response.status === 401 || response.status === 403 || isChallenge) {
    throw new ProbeError(`refuses the credential (${response.status}): ${remedy}`)
  }
  if (!response.ok) throw new ProbeError(`answers with status ${response.status}`)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream) return parse(await response.text())
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const found = eventsOf(text).find((message) => hasId(message, id))
    if (found !== undefined) return found
  }
  throw new ProbeError('closed the stream without an answer')
}

function eventsOf(text: string): readonly unknown[] {
  const events = text.replaceAll('\r\n', '\n').split('\n\n').slice(0, -1)
  return events.flatMap((event) => {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trim())
      .join('\n')
    return data === '' ? [] : [parse(data)]
  })
}

function hasId(message: unknown, id: number): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && message.id === id
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProbeError(`its answer is not MCP: ${text.slice(0, 200)}`)
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${timeoutMs / 1000} s`
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection'
}
