import { IssuerUnavailableError } from './token-error.ts'

/** The part of `fetch` that the key source needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

const TIMEOUT_MS = 5_000
const MAX_BYTES = 512 * 1024

/**
 * Fetches a JSON document from the configured issuer. Redirects are refused, because following one would let the issuer
 * reach hosts in this server's network (SSRF); time and size are bounded. `undefined` for 404.
 */
export async function fetchJson(url: string, fetchUrl: Fetch): Promise<unknown> {
  try {
    const response = await fetchUrl(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 200) return JSON.parse(await readBounded(response))
    await response.body?.cancel()
    if (response.status === 404) return undefined
    throw new Error(`the issuer answered with status ${response.status}`)
  } catch (error) {
    throw new IssuerUnavailableError('the issuer cannot be reached', { cause: error })
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const body: AsyncIterable<Uint8Array> | null = response.body
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Error('the issuer sent too much')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
