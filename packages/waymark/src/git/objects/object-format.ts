import { objectFormatIn } from '../config/repository-format.ts'
import type { GitCalls } from '../repository.ts'
import type { ObjectFormat } from './pack-stream.ts'

/** The hash of a repository. */
export function objectFormat({ config }: Pick<GitCalls, 'config'>): ObjectFormat {
  return objectFormatIn(config().settings)
}
