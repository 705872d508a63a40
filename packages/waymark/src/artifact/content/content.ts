import type { FileHandle } from 'node:fs/promises'
import type { Content } from '@waymark/cas'
import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { withField } from '../../support/files/file-failure.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { withContentFailures } from './store.ts'
import { namedFiles } from '../../backup/named-files.ts'
import { artifactReference, findArtifact } from '../find.ts'
import { contentsOf } from './open-contents.ts'
import { isTextual, takeText } from './text.ts'
import { type Block, line, lines } from '../../core/show.ts'
import { toSize } from '../show.ts'
import { toVisible } from '../../support/text/visible-text.ts'

const MOST_READ = 8 * 1024 * 1024

const contentView = z.object({
  id: z.string(),
  hash: z.string(),
  name: z.string().optional(),
  mime: z.string(),
  size: z.int(),
  text: z.string().optional(),
  base64: z.string().optional(),
  next_offset: z.int().optional().describe('Where to go on, if there is more'),
})
type ContentView = z.output<typeof contentView>

export const readArtifact = defineOperation({
  name: 'artifact.read',
  summary: 'Read an artifact as text or base64',
  example: '0199c4e2 --max-bytes 2000',
  effect: 'read',
  input: z.object({
    id: artifactReference,
    offset: z.int().min(0).default(0).describe('Byte to begin with'),
    max_bytes: z.int().min(16).max(MOST_READ).default(3000).describe('How much at most'),
  }),
  output: contentView,
  positional: ['id'],
  async run(context, { id, offset, max_bytes }) {
    const artifact = await findArtifact(context.store.artifacts, id)
    const { hash, name, mime, size } = artifact
    const start = Math.min(offset, size)
    const range = { start, end: Math.min(start + max_bytes, size) }
    const bytes = await withContentFailures(async () =>
      readAll(await contentsOf(context).get(hash, range)),
    )
    const text = isTextual(mime) ? takeText(bytes, range.end === size) : undefined
    const end = start + (text?.bytes ?? bytes.length)
    return {
      id: artifact.id,
      hash,
      ...(name !== null && { name }),
      mime,
      size,
      ...(text === undefined ? { base64: bytes.toString('base64') } : { text: text.text }),
      ...(end < size && { next_offset: end }),
    }
  },
  show: showContent,
})

export const getArtifact = defineOperation({
  name: 'artifact.get',
  summary: 'Write the content of an artifact to a file or to standard output',
  example: '0199c4e2 --output report.html',
  effect: 'write',
  input: z.object({
    id: artifactReference,
    output: z.string().min(1).max(4096).default('-').describe('File; - is standard output'),
    force: z.boolean().default(false).describe('Replace the file if it exists'),
  }),
  output: z.object({ id: z.string(), hash: z.string(), size: z.int(), output: z.string() }),
  positional: ['id'],
  async run(context, { id, output, force }) {
    const { store, shell } = context
    const artifact = await findArtifact(store.artifacts, id)
    const { hash, size } = artifact
    const content = await withContentFailures(() => contentsOf(context).get(hash))
    try {
      if (output === '-') await toShell(shell, content)
      else await toFile(context, content, { output, isNew: !force })
    } finally {
      await content.bytes.cancel().catch(() => {})
    }
    return { id: artifact.id, hash, size, output }
  },
  show: ({ size, output }) => [line`${toSize(size)} written to ${output}`],
})

async function readAll({ bytes }: Content): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function toShell(shell: Context['shell'], { bytes }: Content): Promise<void> {
  if (shell === undefined) throw violation('output', 'required', 'name a file in the project')
  await withContentFailures(() => shell.output(bytes))
}

async function toFile(
  context: Context,
  { bytes }: Content,
  { output, isNew }: { readonly output: string; readonly isNew: boolean },
): Promise<void> {
  const files = namedFiles(context, context.shell?.folder)
  const write = (file: FileHandle) =>
    withContentFailures(async () => {
      for await (const chunk of bytes) await file.writeFile(chunk)
    })
  await withField('output', () => files.put(output, write, { isNew }))
}

function showContent({ text, base64, size, next_offset: next }: ContentView): readonly Block[] {
  return [
    ...lines(toVisible(text ?? base64 ?? '').trimEnd()),
    ...(next === undefined ? [] : [line`… ${size} bytes in all; go on with --offset ${next}`]),
  ]
}
