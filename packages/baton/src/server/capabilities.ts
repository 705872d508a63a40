import type { ServerCapabilities } from '../protocol/capability.ts'
import { TASKS_EXTENSION } from '../protocol/task.ts'
import type { ServerHandler } from './handler.ts'

const RESOURCE_METHODS = ['listResources', 'listResourceTemplates', 'readResource'] as const

/** The capabilities that follow from a handler's methods, merged with those that the application declares. */
export function toCapabilities(
  handler: ServerHandler,
  hasTasks: boolean,
  extra: ServerCapabilities | undefined,
): ServerCapabilities {
  const extensions = { ...extra?.extensions, ...(hasTasks && { [TASKS_EXTENSION]: {} }) }
  const hasResources = RESOURCE_METHODS.some((method) => handler[method] !== undefined)
  return {
    ...(handler.callTool && { tools: { listChanged: true } }),
    ...(hasResources && { resources: { subscribe: true, listChanged: true } }),
    ...(handler.getPrompt && { prompts: { listChanged: true } }),
    ...(handler.complete && { completions: {} }),
    logging: {},
    ...extra,
    ...(Object.keys(extensions).length > 0 && { extensions }),
  }
}
