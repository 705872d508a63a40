import type { ContentSource, PutOptions, Upload } from '@waymark/cas'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { withContentFailures } from './store.ts'
import { type Change, change } from '../../core/change.ts'
import { collectUnneeded } from './collect-unneeded.ts'
import { contentsOf, sharedContentsOf } from './open-contents.ts'

export type Received = Pick<Upload, 'hash' | 'size' | 'mime'>

/**
 * Stores a content and runs `record` in one transaction. An upload row is written before the content is moved into place,
 * so that a concurrent garbage collection either sees the row or has finished.
 */
export async function receiveContent<T extends { readonly hash: string }>(
  context: Context,
  source: ContentSource,
  options: PutOptions,
  record: (change: Change, content: Received) => Promise<T>,
): Promise<T> {
  const contents = contentsOf(context)
  const { store, signal } = context
  const sent = context.body?.sent
  await using upload = await withContentFailures(async () =>
    sent === undefined
      ? await contents.stage(source, { ...options, signal })
      : await requireShared(context).adopt(sent, options),
  )
  const uploadId = context.newId()
  await store.write(
    async (tx) => tx.artifacts.beginUpload(uploadId, upload.hash, await tx.now(context)),
    context,
  )
  let isRecorded = false
  try {
    await withContentFailures(() => upload.keep())
    let isRepeated = true
    const output = await change(context, async (change) => {
      isRepeated = false
      if (!(await change.artifacts.endUpload(uploadId))) throw tooSlow()
      return await record(change, upload)
    })
    // The idempotency key does not cover the bytes, so compare their hashes.
    if (output.hash !== upload.hash) throw keyReused()
    isRecorded = !isRepeated
    return output
  } finally {
    if (!isRecorded) {
      await store.write(async (tx) => tx.artifacts.endUpload(uploadId))
      await collectUnneeded(store, contents, [upload.hash])
    }
  }
}

/** Where bytes can be sent to the storage without the server. */
export function requireShared(context: Context) {
  const contents = sharedContentsOf(context)
  if (contents !== undefined) return contents
  const message = 'this server keeps artifacts in a folder: send the bytes to it'
  throw new Failure('not_initialised', message)
}

function tooSlow(): Failure {
  const message = 'the upload stalled and was dropped; send it again'
  return new Failure('storage_unavailable', message)
}

function keyReused(): Failure {
  return new Failure('conflict', 'this idempotency key was used for another content', {
    details: { reason: 'key_reused', field: 'idempotency_key' },
  })
}
