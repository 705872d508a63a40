import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'vite'

const NAME = 'virtual:replay-player'
const ENTRY = join(import.meta.dirname, '../src/export/replay/player.ts')

/** The page of a saved replay as a text, but for its data: the page of the server puts that in and saves it. */
export function replayPlayer(): Plugin {
  return {
    name: 'waymark-replay-player',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined
      const { outputFiles, metafile } = await build({
        entryPoints: [ENTRY],
        outdir: '.',
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        format: 'iife',
        target: 'es2023',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        legalComments: 'none',
      })
      for (const input of Object.keys(metafile.inputs)) this.addWatchFile(input)
      const textOf = (suffix: string): string =>
        outputFiles.find(({ path }) => path.endsWith(suffix))?.text.trim() ?? ''
      // The parser ends a script at the first of these, wherever it stands.
      const script = textOf('.js').replaceAll('</script', String.raw`<\/script`)
      const hash = createHash('sha256').update(script).digest('base64')
      // Nothing runs but this script, and nothing is asked for, whatever the data say.
      const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`
      const parts = { script, style: textOf('.css'), policy }
      return `export default ${JSON.stringify(parts)}`
    },
  }
}
