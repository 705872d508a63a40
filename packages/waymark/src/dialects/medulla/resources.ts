import type * as z from 'zod'
import { getEntity, listEntities } from '../../entity/operations.ts'
import { listGraph } from '../../graph/export.ts'
import { projectSchema, projectStats } from '../../project/facts.ts'
import { gatherContext } from '../../search/context.ts'
import { blockedTasks, readyTasks } from '../../task/queue/operations.ts'
import type { ResourcePage, ResourceSpelling, Variables } from '../dialect.ts'
import { defineResource } from '../resource.ts'
import {
  type SpecEntity,
  toSpecBlocker,
  toSpecEntity,
  toSpecSchema,
  toSpecTaskEntity,
} from './shapes.ts'

const DEFAULT_LIMIT = 50
const CONTEXT_LIMIT = 10

/** How each resource is answered, by its template. */
export function loadResources(): Readonly<Record<string, ResourceSpelling>> {
  return {
    'medulla://schema': defineResource({
      operation: projectSchema,
      toInput: () => ({}),
      toResult: toSpecSchema,
    }),
    'medulla://stats': defineResource({
      operation: projectStats,
      toInput: () => ({}),
      toResult: ({ version, ...stats }) => ({ ...stats, medulla_version: version }),
    }),
    'medulla://entities': entities(() => ({})),
    'medulla://entities/{type}': entities(({ type }) => ({ type })),
    'medulla://entity/{id}': defineResource({
      operation: getEntity,
      toInput: ({ id }) => ({ id }),
      toResult: toSpecEntity,
    }),
    'medulla://decisions': entities(() => ({ type: 'decision' })),
    'medulla://decisions/active': entities(() => ({
      type: 'decision',
      except_statuses: ['superseded'],
    })),
    'medulla://tasks': entities(() => ({ type: 'task' })),
    'medulla://tasks/active': entities(() => ({
      type: 'task',
      except_statuses: ['done', 'cancelled'],
    })),
    'medulla://tasks/ready': defineResource({
      operation: readyTasks,
      toInput: (_, page) => ({ include_deferred: true, blockers_only: true, ...page }),
      toResult: ({ tasks, total }, asked) => toTaskPage(tasks.map(toSpecTaskEntity), total, asked),
    }),
    'medulla://tasks/blocked': defineResource({
      operation: blockedTasks,
      toInput: (_, page) => ({ blockers_only: true, ...page }),
      toResult: ({ tasks, total }, asked) => {
        const entities = tasks.map((task) => ({
          ...toSpecTaskEntity(task),
          blockers: task.blockers.map(toSpecBlocker),
        }))
        return toTaskPage(entities, total, asked)
      },
    }),
    'medulla://tasks/due/{date}': entities(({ date }) => ({ type: 'task', due_date: date })),
    'medulla://prompts': entities(() => ({ type: 'prompt' })),
    'medulla://graph': defineResource({
      operation: listGraph,
      toInput: (_, page) => (page.limit === undefined ? { ...page, whole: true } : page),
      toResult: toSpecGraph,
    }),
    'medulla://context/{topic}': defineResource({
      operation: gatherContext,
      toInput: ({ topic }, page) => ({ topic, limit: CONTEXT_LIMIT, ...page }),
      toResult: ({ entities, ...rest }, asked) => {
        const { limit = CONTEXT_LIMIT, offset = 0 } = asked
        return { ...rest, limit, offset, entities: entities.map(toSpecEntity) }
      },
    }),
  }
}

/** A list of entities, the spec's way: what is on the page, how many there are, and which page it is. */
function entities(toFilter: (variables: Variables) => object): ResourceSpelling {
  return defineResource({
    operation: listEntities,
    toInput: (variables, page) => ({ ...toFilter(variables), ...page }),
    toResult: ({ entities, ...page }) => ({ entities: entities.map(toSpecEntity), ...page }),
  })
}

function toTaskPage(entities: readonly SpecEntity[], total: number, asked: ResourcePage) {
  const { limit = DEFAULT_LIMIT, offset = 0 } = asked
  return { entities, total, limit, offset }
}

function toSpecGraph({ entities, relations, ...rest }: z.output<typeof listGraph.output>) {
  const edges = relations.map(({ type, ...edge }) => ({ ...edge, relation_type: type }))
  return { entities: entities.map(toSpecEntity), relations: edges, ...rest }
}
