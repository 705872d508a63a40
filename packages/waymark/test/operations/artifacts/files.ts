import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Setup } from '../../setup.ts'

/** Where a project keeps the bytes of its artifacts. */
export function contentFolder({ directory }: Pick<Setup, 'directory'>): string {
  return join(directory, '.git', 'waymark', 'cas')
}

/** Every file there is in it, half ones included. */
export function contentFiles(project: Pick<Setup, 'directory'>): string[] {
  try {
    return readdirSync(contentFolder(project), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
