import { type Failure } from '../../core/error.ts'
import { REF_DAMAGED } from './damaged-ref.ts'

/** What to do when git does not work here; undefined if there is nothing to say beyond its own words. */
export function gitRemedy({ message, details }: Failure, root: string): string | undefined {
  if (/dubious ownership/.test(message)) {
    return `if you trust its owner, git config --global --add safe.directory ${root}`
  }
  if (/permission denied|operation not permitted|insufficient permission/i.test(message)) {
    return `give your user the right to read and write the Git folder of ${root}`
  }
  return details.reason === REF_DAMAGED ? 'waymark doctor --repair' : undefined
}
