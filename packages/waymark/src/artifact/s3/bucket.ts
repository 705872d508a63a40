import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ContentError } from '@waymark/cas'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { Failure } from '../../core/error.ts'
import type { Environment } from '../../core/project/setting.ts'
import { type Credentials, encode, presign, type PresignOptions } from './presign.ts'

/** How long the server's own requests may take to begin. */
const OWN_SECONDS = 60
const CHECKSUM = 'x-amz-checksum-sha256'

export interface BucketSettings {
  /** Address of the bucket, without a slash at its end. */
  readonly url: URL
  /** Before every key. */
  readonly prefix: string
  readonly region: string
  readonly credentials: Credentials
}

/** `s3://bucket/prefix?region=eu-central-1&endpoint=https://storage.example.com`; keys come from the environment alone. */
export function parseBucket(address: string, env: Environment): BucketSettings {
  const { host: bucket, pathname, searchParams } = new URL(address)
  const given = [...searchParams.keys()].find((name) => name !== 'region' && name !== 'endpoint')
  if (bucket === '' || given !== undefined)
    throw refused('must be like s3://bucket/prefix?region=eu-central-1&endpoint=https://storage')
  const region = searchParams.get('region') ?? env['AWS_REGION'] ?? 'us-east-1'
  const endpoint = searchParams.get('endpoint') ?? env['AWS_ENDPOINT_URL_S3'] ?? ''
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = env
  const { AWS_SESSION_TOKEN: token = '' } = env
  if (id === '' || secret === '')
    throw refused('for s3:// set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  // Storage of one's own rarely has a host name for each bucket.
  const url =
    endpoint === ''
      ? new URL(`https://${bucket}.s3.${region}.amazonaws.com`)
      : new URL(`${endpoint.replace(/\/$/, '')}/${bucket}`)
  return {
    url,
    prefix: pathname.replace(/^\//, '').replace(/([^/])$/, '$1/'),
    region,
    credentials: {
      accessKeyId: id,
      secretAccessKey: secret,
      ...(token !== '' && { sessionToken: token }),
    },
  }
}

function refused(message: string): Failure {
  return new Failure('invalid_input', `artifacts: ${message}`, { details: { field: 'artifacts' } })
}

export interface StoredObject {
  readonly size: number
  /** Of its bytes, in hex, where the storage tells. */
  readonly hash: string | undefined
}

type Signed = Pick<PresignOptions, 'method' | 'headers' | 'query'>

/** Objects of one bucket. Everything that is wrong is a `ContentError`. */
export class Bucket {
  readonly #settings: BucketSettings

  constructor(settings: BucketSettings) {
    this.#settings = settings
  }

  /** An address that a client may use for one request. */
  sign(key: string, { method, headers = {}, query = {} }: Signed, seconds: number): string {
    const { url, prefix, region, credentials } = this.#settings
    const path = `${prefix}${key}`.split('/').map(encode).join('/')
    const at = new URL(`${url.href.replace(/\/$/, '')}/${path}`)
    const now = MACHINE_CLOCK.now()
    return presign(credentials, region, { method, url: at, headers, query, now, seconds })
  }

  /** An address to which bytes of this hash, and no others, can be sent. */
  signUpload(key: string, hash: string, seconds: number) {
    const headers = { [CHECKSUM]: Buffer.from(hash, 'hex').toString('base64') }
    return { url: this.sign(key, { method: 'PUT', headers }, seconds), headers }
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const headers = { 'x-amz-checksum-mode': 'ENABLED' }
    const answer = await this.#ask(key, { method: 'HEAD', headers })
    if (answer.status === 404) return undefined
    requireOk(answer)
    const checksum = answer.headers.get(CHECKSUM)
    return {
      size: Number(answer.headers.get('content-length') ?? 0),
      hash: checksum === null ? undefined : Buffer.from(checksum, 'base64').toString('hex'),
    }
  }

  /** Undefined where there is none. */
  async get(key: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
    const answer = await this.#ask(key, { method: 'GET' }, signal)
    if (answer.status === 404) return undefined
    requireOk(answer)
    return answer.body ?? new Blob([]).stream()
  }

  /** Sends bytes of a known size and hash; the storage compares the hash. */
  async put(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    { hash, size }: { readonly hash: string; readonly size: number },
  ): Promise<void> {
    const { url, headers } = this.signUpload(key, hash, OWN_SECONDS)
    const request = url.startsWith('https:') ? requestHttps : requestHttp
    // Not by fetch, which sends streams in chunks, and storage wants to know the length.
    const status = await new Promise<number>((resolve, reject) => {
      const sending = request(
        url,
        { method: 'PUT', headers: { ...headers, 'content-length': size } },
        (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
        },
      )
      sending.on('error', reject)
      pipeline(Readable.from(bytes), sending).catch(reject)
    }).catch((error: unknown) => {
      throw unavailable(error)
    })
    if (status < 200 || status > 299) throw unavailable(`it answered ${status}`)
  }

  async copy(from: string, to: string): Promise<void> {
    const { url, prefix } = this.#settings
    const bucket = url.pathname === '/' ? url.host.split('.')[0] : url.pathname.split('/').at(-1)
    const source = `/${bucket}/${prefix}${from}`.split('/').map(encode).join('/')
    const headers = { 'x-amz-copy-source': source }
    const answer = await this.#ask(to, { method: 'PUT', headers })
    requireOk(answer)
    // An error that comes late is in the body of an answer that began well.
    if ((await answer.text()).includes('<Error>')) throw unavailable('it could not copy')
  }

  async remove(key: string): Promise<void> {
    const answer = await this.#ask(key, { method: 'DELETE' })
    if (answer.status !== 404) requireOk(answer)
  }

  async #ask(key: string, signed: Signed, signal?: AbortSignal): Promise<Response> {
    try {
      return await fetch(this.sign(key, signed, OWN_SECONDS), {
        method: signed.method,
        headers: { ...signed.headers },
        redirect: 'error',
        ...(signal !== undefined && { signal }),
      })
    } catch (error) {
      throw unavailable(error)
    }
  }
}

function requireOk({ ok, status }: Response): void {
  if (!ok) throw unavailable(`it answered ${status}`)
}

/** What the storage says may hold names of keys, so it is only the cause. */
function unavailable(cause: unknown): ContentError {
  const problem = typeof cause === 'string' ? `: ${cause}` : ''
  return new ContentError('unavailable', `the storage of artifacts fails${problem}`, { cause })
}
