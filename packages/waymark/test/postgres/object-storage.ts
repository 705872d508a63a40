import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AwsV4Signer } from 'aws4fetch'

/** By which a test says that it is a client, and not the server. */
export const CLIENT = 'client'

export const KEYS = { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'storage+secret/1' }

interface StorageOptions {
  /** Whether it compares checksums and tells them, as S3 does and not all of its kind do. */
  readonly compares?: boolean
  /** What a client puts in place of the bytes that it has sent, as soon as the server has read them. */
  readonly swaps?: string
}

/**
 * Object storage that speaks S3 as far as artifacts need it. It takes requests with a signature that another
 * implementation of the protocol arrives at, within their time, and compares checksums as S3 does.
 */
export async function startStorage({ compares = true, swaps }: StorageOptions = {}) {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  /** Keys that a client has an address for. */
  const sent = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      void answer(request.method ?? '', request.url ?? '', request.headers, bytes).then(
        ({ status, headers = {}, body }) => response.writeHead(status, headers).end(body),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`

  interface Reply {
    readonly status: number
    readonly headers?: Record<string, string | number>
    readonly body?: Buffer | string
  }
  const answer = async (
    method: string,
    path: string,
    headers: NodeJS.Dict<string | string[]>,
    bytes: Buffer,
  ): Promise<Reply> => {
    const url = new URL(path, origin)
    requests.push(`${method} ${url.pathname}`)
    if (!(await isSigned(method, url, headers))) return { status: 403, body: '<Error/>' }
    const key = decodeURIComponent(url.pathname)
    const found = objects.get(key)
    if (method === 'PUT') {
      const source = headers['x-amz-copy-source']
      const copied = typeof source === 'string' ? objects.get(decodeURIComponent(source)) : bytes
      if (copied === undefined) return { status: 404 }
      const expected = headers['x-amz-checksum-sha256']
      const isWrong = expected !== undefined && expected !== checksum(copied)
      if (compares && isWrong) return { status: 400 }
      objects.set(key, copied)
      if (headers['user-agent'] === CLIENT) sent.add(key)
      return { status: 200, body: '<Result/>' }
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return { status: 204 }
    }
    if (found === undefined) return { status: 404 }
    const told =
      compares && headers['x-amz-checksum-mode'] === 'ENABLED'
        ? { 'x-amz-checksum-sha256': checksum(found) }
        : {}
    const isSwapped = method === 'GET' && swaps !== undefined && sent.delete(key)
    if (isSwapped) objects.set(key, Buffer.from(swaps))
    const type = url.searchParams.get('response-content-type') ?? 'binary/octet-stream'
    return {
      status: 200,
      headers: { 'content-length': found.length, 'content-type': type, ...told },
      ...(method === 'GET' && { body: found }),
    }
  }
  return {
    origin,
    objects,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function checksum(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64')
}

async function isSigned(method: string, url: URL, headers: NodeJS.Dict<string | string[]>) {
  const given = url.searchParams.get('X-Amz-Signature')
  const time = url.searchParams.get('X-Amz-Date') ?? ''
  const seconds = Number(url.searchParams.get('X-Amz-Expires'))
  const began = Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  if (given === null || !(Date.now() < began + seconds * 1000)) return false
  const names = (url.searchParams.get('X-Amz-SignedHeaders') ?? '').split(';')
  const signed = names
    .filter((name) => name !== 'host')
    .map((name) => [name, String(headers[name])])
  const bare = new URL(url)
  for (const name of url.searchParams.keys())
    if (/^X-Amz-(Signature|Algorithm|Credential|Date|SignedHeaders)$/.test(name))
      bare.searchParams.delete(name)
  const signer = new AwsV4Signer({
    method,
    url: bare.href,
    headers: Object.fromEntries(signed) as Record<string, string>,
    accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
    region: 'eu-test-1',
    service: 's3',
    datetime: time,
    signQuery: true,
    allHeaders: true,
  })
  return (await signer.sign()).url.searchParams.get('X-Amz-Signature') === given
}
