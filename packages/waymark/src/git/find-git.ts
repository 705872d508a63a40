import { statSync } from 'node:fs'
import { win32 } from 'node:path'

interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
}

/**
 * The program to start. Windows searches the current folder before PATH, and a clone can contain a `git.exe`; so on
 * Windows we search the absolute folders of PATH ourselves.
 */
export function findGit({ platform, env }: Machine, isThere = isFile): string {
  if (platform !== 'win32') return 'git'
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? ''
  const folders = path.split(win32.delimiter).filter((folder) => win32.isAbsolute(folder))
  const candidates = folders.map((folder) => win32.join(folder, 'git.exe'))
  // Not found: a path that does not exist, so that starting it fails as usual.
  return candidates.find(isThere) ?? win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'git.exe')
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
