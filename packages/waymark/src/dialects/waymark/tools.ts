import type { DialectTool } from '../dialect.ts'
import { TOOLSETS, type Toolset } from './toolsets.ts'

/** The tools of these groups; of the others nothing is loaded. */
export async function loadTools(
  toolsets: readonly Toolset[] = TOOLSETS,
): Promise<readonly DialectTool[]> {
  const groups = await Promise.all(toolsets.map(loadToolset))
  return groups.flat()
}

async function loadToolset(toolset: Toolset): Promise<readonly DialectTool[]> {
  return toolset === 'core'
    ? await loadCoreTools()
    : (await import('./derived-tools.ts')).derivedTools(toolset)
}

async function loadCoreTools(): Promise<readonly DialectTool[]> {
  const [brief, knowledge, tasks, messages, code, events] = await Promise.all([
    import('./brief-tool.ts'),
    import('./knowledge-tools.ts'),
    import('./task-tools.ts'),
    import('./message-tools.ts'),
    import('./code-tools.ts'),
    import('./events-tool.ts'),
  ])
  return [
    brief.briefTool(),
    ...knowledge.knowledgeTools(),
    ...tasks.taskTools(),
    ...messages.messageTools(),
    ...code.codeTools(),
    events.eventsTool(),
  ]
}
