// Builds the views that hosts show beside a conversation: one file each, because their frame can load no other.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { toNotices } from '../../../scripts/notices.ts'

const NAMES = ['board', 'brief', 'why'] as const
const FOLDER = join(import.meta.dirname, '../../waymark/dist/ui/apps')

mkdirSync(FOLDER, { recursive: true })
const inputs = new Set<string>()
for (const name of NAMES) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, `../src/apps/${name}.tsx`)],
    outdir: FOLDER,
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
  const textOf = (suffix: string): string =>
    outputFiles.find(({ path }) => path.endsWith(suffix))?.text.trim() ?? ''
  writeFileSync(join(FOLDER, `${name}.html`), toPage(name, textOf('.js'), textOf('.css')))
  for (const input of Object.keys(metafile.inputs)) inputs.add(resolve(input))
}
writeFileSync(join(FOLDER, 'NOTICE.md'), toNotices([...inputs]))

function toPage(name: string, script: string, style: string): string {
  // The parser ends a script at the first of these, wherever it stands.
  const safe = script.replaceAll('</script', String.raw`<\/script`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Waymark: ${name}</title>
<style>${style}</style>
<div id="app"></div>
<script>${safe}</script>
</html>
`
}
