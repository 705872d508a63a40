import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { bundlePage } from './bundle-page.ts'

const NAME = 'virtual:replay-player'
const ENTRY = join(import.meta.dirname, '../src/export/replay/player.ts')

/** The page of a saved replay as a text, but for its data: the page of the server puts that in and saves it. */
export function replayPlayer(): Plugin {
  return {
    name: 'waymark-replay-player',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined
      const { script, style, inputs } = await bundlePage(ENTRY)
      for (const input of inputs) this.addWatchFile(input)
      const hash = createHash('sha256').update(script).digest('base64')
      // Nothing runs but this script, and nothing is asked for, whatever the data say.
      const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`
      const parts = { script, style, policy }
      return `export default ${JSON.stringify(parts)}`
    },
  }
}
