// Builds the views that hosts show beside a conversation: one file each, because their frame can load no other.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { toNotices } from '../../../scripts/notices.ts'
import { bundlePage } from './bundle-page.ts'

const NAMES = ['board', 'brief', 'why'] as const
const FOLDER = join(import.meta.dirname, '../../waymark/dist/ui/apps')

mkdirSync(FOLDER, { recursive: true })
const inputs = new Set<string>()
for (const name of NAMES) {
  const page = await bundlePage(join(import.meta.dirname, `../src/apps/${name}.tsx`))
  writeFileSync(join(FOLDER, `${name}.html`), toPage(name, page.script, page.style))
  for (const input of page.inputs) inputs.add(resolve(input))
}
writeFileSync(join(FOLDER, 'NOTICE.md'), toNotices([...inputs]))

function toPage(name: string, script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Waymark: ${name}</title>
<style>${style}</style>
<div id="app"></div>
<script>${script}</script>
</html>
`
}
