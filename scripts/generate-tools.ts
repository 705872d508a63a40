// Writes the tool list of each dialect as JSON, so that serving it needs no schema library. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { loadTools as lodestar } from '../packages/waymark/src/dialects/lodestar/tools.ts'
import { loadTools as medulla } from '../packages/waymark/src/dialects/medulla/tools.ts'
import { loadTools as tasky } from '../packages/waymark/src/dialects/tasky/tools.ts'
import { loadTools as ultragit } from '../packages/waymark/src/dialects/ultragit/tools.ts'
import { loadTools as waymark } from '../packages/waymark/src/dialects/waymark/tools.ts'

const DIALECTS = { lodestar, medulla, tasky, ultragit, waymark }

for (const [name, loadTools] of Object.entries(DIALECTS)) {
  const file = new URL(
    `../packages/waymark/src/dialects/${name}/tools.generated.json`,
    import.meta.url,
  )
  const tools = (await loadTools()).map(({ listed, toolset }) =>
    toolset === undefined ? listed : { toolset, ...listed },
  )
  const text = `${JSON.stringify(tools, null, 2)}\n`
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name}: the tool list is stale; run \`npm run generate\``)
    process.exitCode = 1
  }
}
