// The tool list of each dialect as JSON, so that serving it needs no schema library, the reference pages, the types of the
// routes for the dashboard, the manifests that registries read, the packages of hosts and the session in the README.
import { loadTools as lodestar } from '../packages/waymark/src/dialects/lodestar/tools.ts'
import { loadTools as medulla } from '../packages/waymark/src/dialects/medulla/tools.ts'
import { loadTools as tasky } from '../packages/waymark/src/dialects/tasky/tools.ts'
import { loadTools as ultragit } from '../packages/waymark/src/dialects/ultragit/tools.ts'
import { loadAppTools } from '../packages/waymark/src/dialects/waymark/apps/tools.ts'
import { loadTools as waymark } from '../packages/waymark/src/dialects/waymark/tools.ts'
import { apiTypes } from './reference/api-types.ts'
import { commandsPage } from './reference/commands-page.ts'
import { recordSession } from './reference/record-session.ts'
import { bundleManifest, type PackageFacts, serverJson } from './reference/registry-files.ts'
import { settingsPage } from './reference/settings-page.ts'
import { type ListedTool, toolsPage } from './reference/tools-page.ts'
import { put, putFolder, read } from './generated-file.ts'
import { integrationFiles } from './integrations/files.ts'

const DIALECTS = { lodestar, medulla, tasky, ultragit, waymark }

const toolsByDialect = new Map<string, readonly ListedTool[]>()
for (const [name, loadTools] of Object.entries(DIALECTS)) {
  const tools = (await loadTools()).map(({ listed, toolset }) =>
    toolset === undefined ? listed : { toolset, ...listed },
  )
  toolsByDialect.set(name, tools)
  put(`packages/waymark/src/dialects/${name}/tools.generated.json`, toJson(tools))
}
put(
  'packages/waymark/src/dialects/waymark/apps/tools.generated.json',
  toJson(loadAppTools().map(({ listed }) => listed)),
)
put('docs/reference/tools.md', toolsPage(toolsByDialect))
put('docs/reference/commands.md', await commandsPage())
put('docs/reference/settings.md', settingsPage())
put('packages/dashboard/src/api.ts', await apiTypes())
const facts = JSON.parse(read('packages/waymark/package.json')) as PackageFacts
const offered = toolsByDialect.get('waymark')?.filter(({ toolset }) => toolset === 'core') ?? []
put('packages/waymark/server.json', toJson(serverJson(facts)))
put('packages/waymark/manifest.json', toJson(bundleManifest(facts, offered)))
putFolder('integrations', integrationFiles(facts))
const session = await recordSession()
put(
  'README.md',
  read('README.md').replace(
    /(?<=<!-- session -->\n)[^]*(?=<!-- \/session -->)/,
    () => `\`\`\`text\n${session}\n\`\`\`\n`,
  ),
)

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
