import parts from 'virtual:replay-player'
import { projectName } from '../../data/project.ts'
import type { Spans } from '../../views/agents/load-spans.ts'
import { saveFile } from '../save-file.ts'
import { DATA_ID, type ReplayData } from './replay-data.ts'

/** The lanes as one file that plays them, for people without Waymark. */
export function saveReplay({ spans, messages }: Spans): void {
  const project = projectName.peek()
  const data: ReplayData = { project, spans, messages }
  // Inside a script element only this character can end it.
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
  const title = document.createElement('title')
  title.textContent = `${project}: replay`
  const { theme } = document.documentElement.dataset
  const root = theme === undefined ? '' : ` data-theme="${theme}"`
  const html = `<!doctype html>
<html lang="en"${root}>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${parts.policy}">
<meta name="viewport" content="width=device-width">
${title.outerHTML}
<style>${parts.style}</style>
<script type="application/json" id="${DATA_ID}">${json}</script>
<body></body>
<script>${parts.script}</script>
</html>
`
  saveFile(`${project}-replay.html`, 'text/html', html)
}
