import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { locateProject } from './locate-project.ts'
import { readMarker } from '../store/state-folder.ts'

export interface FoundProject {
  readonly root: string
  readonly stateDir: string
}

/** The project that a folder belongs to, if it has been initialised: elsewhere a server would have nothing to serve. */
export function findProject(directory: string): FoundProject | undefined {
  const project = locateProject(resolve(directory))
  if (project === undefined || readMarker(project.stateDir) === undefined) return undefined
  return { root: realpathSync(project.root), stateDir: project.stateDir }
}
