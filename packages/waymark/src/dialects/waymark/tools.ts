import type { DialectTool } from '../dialect.ts'
import { TOOLSETS, type Toolset } from './toolsets.ts'

/** The tools of these groups; of the others nothing is loaded. With a name, only the files that its tool needs. */
export async function loadTools(
  toolsets: readonly Toolset[] = TOOLSETS,
  name?: string,
): Promise<readonly DialectTool[]> {
  const groups = await Promise.all(toolsets.map((toolset) => loadToolset(toolset, name)))
  return groups.flat()
}

async function loadToolset(
  toolset: Toolset,
  name: string | undefined,
): Promise<readonly DialectTool[]> {
  if (toolset === 'core') return await loadCoreTools(name)
  return (await import('./derived-tools.ts')).derivedTools(toolset, name)
}

interface ToolFile {
  readonly names: readonly string[]
  readonly load: () => Promise<readonly DialectTool[]>
}

/** The tools that an agent has unless it is given others, in the order of their list. */
const CORE: readonly ToolFile[] = [
  {
    names: ['brief'],
    load: async () => [(await import('./knowledge/brief-tool.ts')).briefTool()],
  },
  {
    names: ['recall', 'remember'],
    load: async () => (await import('./knowledge/knowledge-tools.ts')).knowledgeTools(),
  },
  {
    names: ['task_create', 'task_update', 'task_get', 'task_next'],
    load: async () => (await import('./task/tools.ts')).taskTools(),
  },
  {
    names: ['message_send', 'inbox'],
    load: async () => (await import('./message-tools.ts')).messageTools(),
  },
  {
    names: ['code_why', 'annotate'],
    load: async () => (await import('./knowledge/code-tools.ts')).codeTools(),
  },
  {
    names: ['events'],
    load: async () => [(await import('./events-tool.ts')).eventsTool()],
  },
]

async function loadCoreTools(name: string | undefined): Promise<readonly DialectTool[]> {
  const files = CORE.filter(({ names }) => name === undefined || names.includes(name))
  return (await Promise.all(files.map(({ load }) => load()))).flat()
}
