import { realpathSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Failure } from '../error.ts'
import { type OpenOptions, type OpenProject, openProject } from './project.ts'
import { locateProject } from './locate-project.ts'

/** Several projects served by one process; each is opened when it is first asked for and stays open. */
export interface ProjectPool extends AsyncDisposable {
  /** By folder, or by the name of its folder. Only the projects that are served can be had. */
  open(name: string): Promise<OpenProject>
  /** Those that are open. */
  opened(): Promise<readonly OpenProject[]>
}

export function createProjectPool(
  folders: readonly string[],
  options: OpenOptions = {},
): ProjectPool {
  const served = folders.map((folder) => toReal(folder))
  const opened = new Map<string, Promise<OpenProject>>()
  const listOpened = async (): Promise<readonly OpenProject[]> =>
    (await Promise.allSettled(opened.values())).flatMap((project) =>
      project.status === 'fulfilled' ? [project.value] : [],
    )
  return {
    opened: listOpened,
    async open(name) {
      const folder = find(served, name)
      const known = opened.get(folder)
      if (known !== undefined) return await known
      const opening = openProject(folder, { ...options, staysOpen: true })
      opened.set(folder, opening)
      // Errors are not cached: the next call tries again.
      opening.catch(() => opened.delete(folder))
      return await opening
    },
    async [Symbol.asyncDispose]() {
      for (const project of await listOpened()) await project[Symbol.asyncDispose]()
    },
  }
}

function find(served: readonly string[], name: string): string {
  const folder = toReal(name)
  const found = served.filter((one) => one === folder || basename(one) === name)
  if (found[0] !== undefined && found.length === 1) return found[0]
  const names = served.map((one) => basename(one))
  throw new Failure('invalid_input', `project: must be one of ${names.join(', ')}`, {
    details: { field: 'project', value: name.slice(0, 200), valid: names },
  })
}

/** The top of the project that a folder belongs to; the folder itself where there is none yet. */
export function toReal(folder: string): string {
  try {
    const real = realpathSync(resolve(folder))
    return locateProject(real)?.root ?? real
  } catch {
    return resolve(folder)
  }
}
