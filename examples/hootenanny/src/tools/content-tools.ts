import type { Server } from '@waymark/baton'
import * as z from 'zod'
import type { Studio } from '../studio.ts'
import { ContentHash, MimeType } from './fields.ts'
import { openUpload } from './open-upload.ts'

/** Contents by their hash; `urlOf` says where a browser or a player finds one. */
export function addContentTools(
  server: Server,
  { contents, uploadsFolder }: Studio,
  urlOf: (hash: string) => string,
): void {
  server.tool({
    name: 'cas_store',
    description: 'Stores bytes and gives their hash. Large files: POST /cas or upload_file',
    inputSchema: z.strictObject({
      content_base64: z.base64(),
      mime_type: MimeType,
      expected_hash: ContentHash.optional().describe('Refuses the content if it has another hash'),
    }),
    outputSchema: z.object({ hash: z.string(), size_bytes: z.int(), mime_type: z.string() }),
    annotations: { idempotentHint: true },
    async run({ content_base64, mime_type, expected_hash }, { signal }) {
      const stored = await contents.put(Buffer.from(content_base64, 'base64'), mime_type, {
        signal,
        ...(expected_hash !== undefined && { expectedHash: expected_hash }),
      })
      const { hash, size, mimeType } = stored
      return {
        content: [{ type: 'text', text: hash }],
        structuredContent: { hash, size_bytes: size, mime_type: mimeType },
      }
    },
  })

  server.tool({
    name: 'cas_inspect',
    description: 'Says how large a content is, of what type, and where it can be fetched',
    inputSchema: z.strictObject({ hash: ContentHash }),
    outputSchema: z.object({
      hash: z.string(),
      mime_type: z.string(),
      size: z.int(),
      uri: z.string(),
      url: z.string(),
    }),
    annotations: { readOnlyHint: true },
    async run({ hash }) {
      const { size, mimeType } = await contents.inspect(hash)
      const places = { uri: `cas://${hash}`, url: urlOf(hash) }
      return { structuredContent: { hash, mime_type: mimeType, size, ...places } }
    },
  })

  server.tool({
    name: 'upload_file',
    description: `Stores a file of this machine; it must be in ${uploadsFolder}`,
    inputSchema: z.strictObject({
      file_path: z.string().min(1).describe('Absolute path'),
      mime_type: MimeType,
    }),
    outputSchema: z.object({ hash: z.string(), size_bytes: z.int(), mime_type: z.string() }),
    annotations: { idempotentHint: true },
    async run({ file_path, mime_type }, { signal }) {
      await using upload = await openUpload(uploadsFolder, file_path)
      const { hash, size, mimeType } = await contents.put(upload.bytes, mime_type, { signal })
      return { structuredContent: { hash, size_bytes: size, mime_type: mimeType } }
    },
  })
}
