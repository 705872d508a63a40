import { readFile } from 'node:fs/promises'
import type { HttpAnswer, HttpRequest } from '@waymark/baton/http'
import { hasCode } from '../../support/system-error.ts'
import { lookUp } from '../../support/look-up.ts'
import { inOnePiece } from '../http/answer/compress-answer.ts'

/** The built page is this far up from both this file and the bundled chunk. */
const FILES = new URL('../../../dist/ui/', import.meta.url)
const SHELL = 'index.html'

/** What `scripts/pack-dashboard.ts` writes beside the files. */
interface Manifest {
  readonly files: Readonly<Record<string, PageFile>>
}

interface PageFile {
  /** The content type. */
  readonly type: string
  readonly sha256: string
  /** Whether the name contains a hash of the content. */
  readonly isImmutable: boolean
  /** Compressed forms beside it. */
  readonly encodings: readonly ('br' | 'gzip')[]
}

const SUFFIXES = { br: '.br', gzip: '.gz' } as const

/** Nothing of elsewhere is loaded, framed or sent, and text becomes HTML only through the page's own policies. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  'frame-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types waymark dompurify',
].join('; ')

const POWERS = ['accelerometer', 'camera', 'geolocation', 'gyroscope', 'magnetometer', 'microphone']
const MORE_POWERS = ['midi', 'payment', 'publickey-credentials-get', 'screen-wake-lock', 'usb']

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': [...POWERS, ...MORE_POWERS].map((power) => `${power}=()`).join(', '),
  'x-content-type-options': 'nosniff',
}

/**
 * Serves the files that the manifest names, and the shell for every other address of the page. File names come from the
 * manifest and never from the request.
 */
export class PageFiles {
  readonly #folder: URL
  readonly #bytes = new Map<string, Uint8Array>()
  #manifest: Manifest | undefined

  constructor(folder: URL = FILES) {
    this.#folder = folder
  }

  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { files } = await this.#load()
    const name = request.path.replace(/^\/ui\/?/, '')
    const file = lookUp(files, name)
    if (file !== undefined) return await this.#send(request, name, file)
    const shell = lookUp(files, SHELL)
    if (shell === undefined) return NOT_BUILT
    // A script that is gone must not be answered with the shell: the browser would run HTML.
    if (name.startsWith('assets/')) return NO_SUCH_FILE
    return await this.#send(request, SHELL, shell)
  }

  async #send(request: HttpRequest, name: string, file: PageFile): Promise<HttpAnswer> {
    const etag = `"${file.sha256}"`
    const headers = {
      ...HEADERS,
      'content-type': file.type,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
      vary: 'accept-encoding, origin',
    }
    if (request.header('if-none-match') === etag) return { status: 304, headers }
    const accepted = (request.header('accept-encoding') ?? '').split(/[^a-z*]/)
    const encoding = file.encodings.find((one) => accepted.includes(one))
    const bytes = await this.#read(encoding === undefined ? name : name + SUFFIXES[encoding])
    const encoded = encoding === undefined ? {} : { 'content-encoding': encoding }
    return { status: 200, ...inOnePiece(bytes, { ...headers, ...encoded }) }
  }

  async #read(name: string): Promise<Uint8Array> {
    const known = this.#bytes.get(name)
    if (known !== undefined) return known
    const bytes = await readFile(new URL(name, this.#folder))
    this.#bytes.set(name, bytes)
    return bytes
  }

  /** A page that is not built yet is looked for again with the next request. */
  async #load(): Promise<Manifest> {
    if (this.#manifest !== undefined) return this.#manifest
    try {
      const text = await readFile(new URL('manifest.json', this.#folder), 'utf8')
      this.#manifest = JSON.parse(text) as Manifest
      return this.#manifest
    } catch (error) {
      if (hasCode(error, ['ENOENT'])) return { files: {} }
      throw error
    }
  }
}

const NOT_BUILT: HttpAnswer = {
  status: 503,
  headers: {
    ...HEADERS,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Waymark</title>
<h1>The page is not built</h1>
<p>This copy of Waymark runs from its sources. Run <code>npm run build</code> in its repository, then load this page again.</p>
</html>
`,
}

const NO_SUCH_FILE: HttpAnswer = {
  status: 404,
  headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'no such file; load the page again\n',
}
