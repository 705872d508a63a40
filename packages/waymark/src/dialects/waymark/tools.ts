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
    ? (await import('./core-tools.ts')).coreTools()
    : (await import('./derived-tools.ts')).derivedTools(toolset)
}
