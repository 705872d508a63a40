import { createRequire } from 'node:module'
import type * as Loro from 'loro-crdt'

export type {
  JsonChange,
  JsonSchema as JsonUpdate,
  LoroDoc,
  LoroMap,
  LoroText,
  PeerID as PeerId,
} from 'loro-crdt'

export type LoroModule = Pick<typeof Loro, 'LoroDoc' | 'VersionVector'>

const require = createRequire(import.meta.url)

/** Loaded where something is merged and nowhere else: it takes longer to load than most commands take to run. */
export function loadLoro(): LoroModule {
  // Through `require`, which takes half as long as importing the same thing.
  return require('loro-crdt') as LoroModule
}
