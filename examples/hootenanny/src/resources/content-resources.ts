import { ERROR_CODES, ProtocolError, resourceNotFound } from '@waymark/baton'
import type { ResourceReading, Server } from '@waymark/baton'
import { ContentError } from '@waymark/cas'
import { StudioError } from '../error.ts'
import type { Studio } from '../studio.ts'

const LARGEST = 16 * 1024 * 1024

/** Contents by their hash, under the type that they were stored with. */
export function addContentResources(
  server: Server,
  studio: Studio,
  urlOf: (hash: string) => string,
): void {
  server.resourceTemplate({
    uriTemplate: 'cas://{hash}',
    name: 'CAS Content',
    description: 'Content by its hash: text as text, everything else as base64',
    async read(uri, { hash }) {
      try {
        return await readContent(studio, hash, urlOf)
      } catch (error) {
        if (error instanceof StudioError || isUnknown(error)) throw resourceNotFound(uri)
        // The message of such an error is made for clients: damaged, too large, disk in trouble.
        if (error instanceof ContentError)
          throw new ProtocolError(ERROR_CODES.internalError, error.message, { code: error.code })
        throw error
      }
    },
  })
}

async function readContent(
  { contents }: Studio,
  hash: string,
  urlOf: (hash: string) => string,
): Promise<ResourceReading> {
  const { mimeType, size } = await contents.inspect(hash)
  if (size > LARGEST)
    throw new ContentError(
      'too_large',
      `the content has ${size} bytes; fetch it from ${urlOf(hash)}`,
    )
  const bytes = Buffer.from(await contents.read(hash))
  return mimeType.startsWith('text/')
    ? { mimeType, text: bytes.toString('utf8') }
    : { mimeType, blob: bytes.toString('base64') }
}

function isUnknown(error: unknown): boolean {
  return error instanceof ContentError && ['invalid_hash', 'missing'].includes(error.code)
}
