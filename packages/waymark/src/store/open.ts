import type { Store } from './store.ts'

export interface InitialiseOptions {
  /** The new project's id, should there be none yet. */
  readonly projectId: string
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface InitialisedStore {
  readonly projectId: string
  /** False if the project was there already. */
  readonly created: boolean
}

/** Makes the state folder and its database; does nothing to one that is there. Any number of processes may try at once. */
export declare function initialiseStore(
  stateDir: string,
  options: InitialiseOptions,
): Promise<InitialisedStore>

/** Opens what `initialiseStore` made; creates nothing. */
export declare function openStore(stateDir: string): Promise<Store>
