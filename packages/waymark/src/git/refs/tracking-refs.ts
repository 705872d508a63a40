import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../repository.ts'
import { readLoose } from './ref-state.ts'

const FOLDERS = ['refs/waymark/remotes', 'refs/notes/remotes']

/** The refs that keep what remotes had: their logs, and their notes in refs of these names. */
export async function trackingRefs(
  { run, layout }: Pick<Repository, 'run' | 'layout'>,
  notesRefs: readonly string[],
): Promise<readonly string[]> {
  const { stdout } = await run(['for-each-ref', '--format=%(refname)', ...FOLDERS])
  // Git does not list a ref whose file it does not understand.
  const files = FOLDERS.flatMap((folder) => filesBelow(layout().commonDir, folder))
  const names = notesRefs.map((ref) => ref.replace(/^refs\/notes\//, '/'))
  return [...new Set([...stdout.split('\n'), ...files])].filter((ref) => {
    if (ref === '' || ref.endsWith('.lock')) return false
    return ref.startsWith('refs/waymark/') || names.some((name) => ref.endsWith(name))
  })
}

/** Those that a fetch into refs of these names, or longer ones, might follow instead of moving them. */
export function symbolicBelow(
  { layout }: Pick<Repository, 'layout'>,
  refs: readonly string[],
): readonly string[] {
  const { commonDir } = layout()
  return FOLDERS.flatMap((folder) => filesBelow(commonDir, folder)).filter((ref) => {
    if (!refs.some((each) => ref.startsWith(each))) return false
    const isLink = lstatSync(join(commonDir, ref), { throwIfNoEntry: false })?.isSymbolicLink()
    return isLink === true || readLoose(commonDir, ref)?.startsWith('ref:') === true
  })
}

function filesBelow(commonDir: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(commonDir, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(commonDir.length + 1))
      .map((path) => path.replaceAll('\\', '/'))
  } catch {
    return []
  }
}
