import type { Repository } from '../repository.ts'
import { formatOf, type ObjectFormat } from './pack-stream.ts'

/** The hash of a repository. Only before its first commit git has to be asked. */
export async function objectFormat({
  ask,
  head,
}: Pick<Repository, 'ask' | 'head'>): Promise<ObjectFormat> {
  const id = await head()
  if (id !== undefined) return formatOf(id)
  const named = (await ask(['rev-parse', '--show-object-format'])).trim()
  return named === 'sha256' ? 'sha256' : 'sha1'
}
