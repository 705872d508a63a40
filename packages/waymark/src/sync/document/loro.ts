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

const PACKAGE = 'loro-crdt'

/**
 * The present instance of the document engine. Loaded only for merging: loading takes longer than most commands.
 */
export function loadLoro(): LoroModule {
  return engine
}

const engine: LoroModule = {
  get LoroDoc() {
    return (instance ??= load()).LoroDoc
  },
  get VersionVector() {
    return (instance ??= load()).VersionVector
  },
}

let instance: LoroModule | undefined

function load(): LoroModule {
  // Through `require`, which takes half as long as importing the same thing. One of its own for each instance: it
  // would keep the modules that it has loaded from being collected.
  const require = createRequire(import.meta.url)
  const entry = require.resolve(PACKAGE)
  for (const { id } of require.cache[entry]?.children ?? []) delete require.cache[id]
  delete require.cache[entry]
  return require(PACKAGE) as LoroModule
}

/** Whether the engine ended in the middle of its work: a trap, or a stack that overflowed. */
export function isTrap(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError')
}

/**
 * Makes the next document use a fresh instance. After a trap the old one has lost part of its stack and keeps its
 * borrows for ever; documents that are open in it may fail, but cannot harm new ones.
 */
export function replaceEngine(): void {
  instance = undefined
}
