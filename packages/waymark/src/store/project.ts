export interface Project {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  readonly stateDir: string
  readonly inGit: boolean
}

/** Finds the project that a folder belongs to, without starting git. Undefined where there is neither Git nor Waymark. */
export declare function locateProject(startDir: string): Project | undefined
