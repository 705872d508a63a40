import { Failure } from '../../core/error.ts'
import type { OperationName } from '../../registry.generated.ts'

/** Groups of tools that can be asked for. What is not in one of them is served by the core tools in a shorter form. */
export const TOOLSETS = ['core', 'graph', 'entities', 'code', 'artifacts', 'admin'] as const
export type Toolset = (typeof TOOLSETS)[number]

/**
 * The operations that each group offers under their own names. Not here: what a core tool does in fewer words, and
 * what is a matter for a terminal or a hook. Every line costs tokens in each conversation that asks for the group.
 */
export const OFFERED: Readonly<Record<Exclude<Toolset, 'core'>, readonly OperationName[]>> = {
  graph: [
    'graph.around',
    'graph.path',
    'graph.impact',
    'graph.orphans',
    'graph.cycles',
    'graph.list',
    'graph.export',
    'relation.create',
    'relation.delete',
    'relation.list',
  ],
  entities: [
    'entity.create',
    'entity.get',
    'entity.list',
    'entity.update',
    'entity.delete',
    'entity.batch',
    'entity.history',
    'entity.restore',
    'entity.purge',
    'decision.supersede',
    'prompt.list',
    'prompt.render',
  ],
  code: [
    'code.deps',
    'code.history',
    'code.summary',
    'code.verify',
    'code.correct',
    'code.note',
    'task.check_edit',
  ],
  artifacts: ['artifact.add', 'artifact.list', 'artifact.read'],
  admin: [
    'agent.join',
    'agent.list',
    'project.status',
    'project.stats',
    'project.schema',
    'sync.run',
    'history.undo',
  ],
}

export const DEFAULT_TOOLSETS: readonly Toolset[] = ['core']

/** The groups that are named; `all` names every one. */
export function parseToolsets(names: readonly string[]): readonly Toolset[] {
  const wanted = names.map((name) => name.toLowerCase())
  const unknown = wanted.find((name) => name !== 'all' && !isToolset(name))
  if (unknown !== undefined) {
    const valid = [...TOOLSETS, 'all']
    throw new Failure('invalid_input', `toolsets: must be one or more of ${valid.join(', ')}`, {
      details: { field: 'toolsets', value: unknown, valid },
    })
  }
  return TOOLSETS.filter((name) => wanted.includes('all') || wanted.includes(name))
}

function isToolset(name: string): name is Toolset {
  return TOOLSETS.some((toolset) => toolset === name)
}
