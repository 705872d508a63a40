import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ContentSource } from '@waymark/cas'
import type { Context } from '../core/context.ts'
import { withField } from '../support/files/file-failure.ts'
import { violation } from '../core/input/parse.ts'
import { namedFiles, openNamed } from '../backup/named-files.ts'

/** The ways to say what to store; a call uses one of them. */
interface GivenContent {
  readonly path?: string | undefined
  readonly text?: string | undefined
  readonly base64?: string | undefined
}

interface FoundContent {
  readonly source: ContentSource
  readonly name?: string
}

const CHUNK_BYTES = 1 << 18

/** The bytes of a call. Files are opened on first read and always closed. */
export function sourceOf(context: Context, given: GivenContent): FoundContent {
  const { path, text, base64 } = given
  const count = [path, text, base64, context.body].filter((one) => one !== undefined).length
  if (count !== 1) {
    throw violation('path', 'required', 'say what to store by one of path, text and base64')
  }
  if (text !== undefined) return { source: Buffer.from(text) }
  if (base64 !== undefined) return { source: decode(base64) }
  if (path === undefined) return { source: context.body?.bytes ?? Buffer.alloc(0) }
  if (path === '-') return { source: inputOf(context) }
  const files = namedFiles(context, context.shell?.folder)
  const open = () => withField('path', () => openNamed(files, path))
  return { source: fileBytes(open), name: basename(path) }
}

/** Node reads past what is no base64; a content that arrives damaged has to be refused instead. */
function decode(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text.replace(/\s/g, '')) return bytes
  throw violation('base64', 'bad_format', 'must be base64 with padding')
}

function inputOf({ shell }: Context): AsyncIterable<Uint8Array> {
  if (shell !== undefined) return shell.input()
  throw violation('path', 'bad_format', '- is for the command line; send text or base64 instead')
}

async function* fileBytes(openIt: () => Promise<FileHandle>): AsyncGenerator<Uint8Array> {
  const file = await openIt()
  // The stream closes the file when it ends or is left.
  yield* file.createReadStream({ highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>
}
