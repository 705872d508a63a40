import type { DialectTool } from '../dialect.ts'
import { briefTool } from './knowledge/brief-tool.ts'
import { codeTools } from './knowledge/code-tools.ts'
import { eventsTool } from './events-tool.ts'
import { knowledgeTools } from './knowledge/knowledge-tools.ts'
import { messageTools } from './message-tools.ts'
import { taskTools } from './task/tools.ts'

/** The tools that an agent has unless it is given others. */
export function coreTools(): readonly DialectTool[] {
  return [
    briefTool(),
    ...knowledgeTools(),
    ...taskTools(),
    ...messageTools(),
    ...codeTools(),
    eventsTool(),
  ]
}
