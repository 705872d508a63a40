import { createHash, createHmac } from 'node:crypto'

/** Of a user of the storage. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string
}

export interface PresignOptions {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Without a query; its path is encoded already. */
  readonly url: URL
  /** Headers that the request must have exactly so, beside `host`. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Milliseconds since 1970. */
  readonly now: number
  readonly seconds: number
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** An address that allows one request, as Signature Version 4 with its parameters in the query describes it. */
export function presign(
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  { method, url, headers = {}, query = {}, now, seconds }: PresignOptions,
): string {
  const time = new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const scope = `${date}/${region}/s3/aws4_request`
  const signed = Object.entries({ host: url.host, ...headers }).toSorted(byName)
  const names = signed.map(([name]) => name).join(';')
  const parameters = {
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': names,
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
  }
  const canonicalQuery = Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(byName)
    .map((pair) => pair.join('='))
    .join('&')
  const request = [
    method,
    url.pathname,
    canonicalQuery,
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const text = [ALGORITHM, time, scope, createHash('sha256').update(request).digest('hex')]
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (made, part) => hmac(made, part),
    `AWS4${secretAccessKey}`,
  )
  const signature = hmac(key, text.join('\n')).toString('hex')
  return `${url.origin}${url.pathname}?${canonicalQuery}&X-Amz-Signature=${signature}`
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : Number(one > other)
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** All but the characters that RFC 3986 leaves unreserved. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
