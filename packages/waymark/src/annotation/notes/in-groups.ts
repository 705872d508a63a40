import { LARGEST_NOTE } from './note-limits.ts'
import type { Repository } from '../../git/repository.ts'

const BATCH_SIZE = 200
const GROUP_BYTES = 8 * 1024 * 1024

/** Splits what needs note blobs into groups whose blobs may be in memory together. Blobs that are too large are not read. */
export async function* inGroups<T>(
  { objects }: Pick<Repository, 'objects'>,
  items: readonly T[],
  blobsOf: (item: T) => readonly string[],
): AsyncGenerator<readonly T[]> {
  let group: T[] = []
  let bytes = 0
  for (let at = 0; at < items.length; at += BATCH_SIZE) {
    const page = items.slice(at, at + BATCH_SIZE)
    const sizes = await Promise.all(
      page.map(async (item) => {
        const infos = await objects.infos(blobsOf(item))
        return infos.reduce((sum, info) => sum + readBytes(info?.size ?? 0), 0)
      }),
    )
    for (const [index, item] of page.entries()) {
      const size = sizes[index] ?? 0
      if (group.length > 0 && (bytes + size > GROUP_BYTES || group.length >= BATCH_SIZE)) {
        yield group
        ;[group, bytes] = [[], 0]
      }
      group.push(item)
      bytes += size
    }
  }
  if (group.length > 0) yield group
}

function readBytes(size: number): number {
  return size > LARGEST_NOTE ? 0 : size
}
