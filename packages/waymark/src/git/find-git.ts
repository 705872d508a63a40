import { statSync } from 'node:fs'
import { win32 } from 'node:path'

interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
}

/**
 * The program to start for git. Windows looks for a program in the current folder first, which is a working tree when
 * we start git, and a clone can bring a `git.exe`; so there it is looked for in PATH alone.
 */
export function findGit({ platform, env }: Machine, isThere = isFile): string {
  if (platform !== 'win32') return 'git'
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? ''
  const folders = path.split(win32.delimiter).filter((folder) => win32.isAbsolute(folder))
  const candidates = folders.map((folder) => win32.join(folder, 'git.exe'))
  // Where there is none, a name under which there is none either: then starting it fails as it should.
  return candidates.find(isThere) ?? win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'git.exe')
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
