import { createProjectPool } from '../../../core/project/project-pool.ts'
import { Failure } from '../../../core/error.ts'
import type { Authentication } from '../../http/authentication.ts'
import { createFolderDirectory, type Directory } from '../../http/directory.ts'
import { type HostedProject, type FolderOptions, hostProjects } from './hosted-project.ts'

/** The projects that a server has, wherever they are kept. */
export interface Hosting extends AsyncDisposable {
  readonly directory: Directory
  /** Folder of the first project's store, where the server keeps its secret; absent for a database. */
  readonly state?: string
  /** Accepts the tokens of the database as well. */
  readonly withTokens?: (authentication: Authentication) => Authentication
  /** When serving begins. */
  readonly projects: readonly Pick<HostedProject, 'name' | 'folder'>[]
}

/** Projects in folders of this machine. The first must be there; the others are opened when they are asked for. */
export async function hostFolders(
  folders: readonly string[],
  options: Omit<FolderOptions, 'projects'>,
): Promise<Hosting> {
  const pool = createProjectPool(folders, { isReadOnly: options.isReadOnly })
  const [home, ...others] = hostProjects(folders, { ...options, projects: pool })
  if (home === undefined) throw new Failure('invalid_input', 'project: name one to serve')
  const dispose = async (): Promise<void> => {
    for (const one of [home, ...others, pool]) await one[Symbol.asyncDispose]()
  }
  try {
    const { state } = (await home.open()).project
    return {
      directory: createFolderDirectory([home, ...others]),
      ...(state !== undefined && { state }),
      projects: [home, ...others],
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}
