import { listEntities } from '../../entity/operations.ts'
import { getEntity } from '../../entity/operations.ts'
import { listGraph } from '../../graph/export.ts'
import { projectSchema, projectStats } from '../../project/facts.ts'
import { gatherContext } from '../../search/context.ts'
import { blockedTasks, readyTasks } from '../../task/queue/operations.ts'
import type { Operation } from '../../core/operation.ts'
import type { ResourcePage, ResourceSpelling, Variables } from '../dialect.ts'
import { fitGraph, fitPage } from './fit-reply.ts'
import {
  type Fields,
  toSeedBlocker,
  toSeedEntities,
  toSeedEntity,
  toSeedSchema,
  toSeedTaskEntity,
} from './shapes.ts'

const DEFAULT_LIMIT = 50
const GRAPH_LIMIT = 100
const CONTEXT_LIMIT = 10

/** How each resource is answered, by its template. */
export function loadResources(): Readonly<Record<string, ResourceSpelling>> {
  return {
    'medulla://schema': spell(projectSchema, () => ({}), toSeedSchema),
    'medulla://stats': spell(
      projectStats,
      () => ({}),
      ({ version, ...stats }) => ({ ...stats, medulla_version: version }),
    ),
    'medulla://entities': entities(() => ({})),
    'medulla://entities/{type}': entities(({ type }) => ({ type })),
    'medulla://entity/{id}': spell(getEntity, ({ id }) => ({ id }), toSeedEntity),
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
    'medulla://tasks/ready': tasks(readyTasks, toSeedTaskEntity, { include_deferred: true }),
    'medulla://tasks/blocked': tasks(blockedTasks, (task) => ({
      ...toSeedTaskEntity(task),
      blockers: (task['blockers'] as Fields[]).map(toSeedBlocker),
    })),
    'medulla://tasks/due/{date}': entities(({ date }) => ({ type: 'task', due_date: date })),
    'medulla://prompts': entities(() => ({ type: 'prompt' })),
    'medulla://graph': spell(
      listGraph,
      (_, page) => ({ limit: GRAPH_LIMIT, ...page }),
      ({ entities, relations, ...rest }, asked) =>
        fitGraph(
          {
            entities: toSeedEntities(entities),
            relations: (relations as Fields[]).map(({ type, ...edge }) => ({
              ...edge,
              relation_type: type,
            })),
            ...rest,
          },
          asked,
        ),
    ),
    'medulla://context/{topic}': spell(
      gatherContext,
      ({ topic }, page) => ({ topic, limit: CONTEXT_LIMIT, ...page }),
      ({ entities, ...rest }, asked) => {
        const { limit = CONTEXT_LIMIT, offset = 0 } = asked
        const page = { ...rest, limit, offset, entities: toSeedEntities(entities) }
        return fitPage(page, asked, 'resource')
      },
    ),
  }
}

function spell(
  operation: Operation,
  toInput: ResourceSpelling['toInput'],
  toResult: (output: Fields, page: ResourcePage) => unknown,
): ResourceSpelling {
  return { operation, toInput, toResult: (output, page) => toResult(output as Fields, page) }
}

/** A list of entities, the seed's way: what is on the page, how many there are, and which page it is. */
function entities(toFilter: (variables: Variables) => object): ResourceSpelling {
  return spell(
    listEntities,
    (variables, page) => ({ ...toFilter(variables), ...page }),
    ({ entities, ...page }, asked) =>
      fitPage({ entities: toSeedEntities(entities), ...page }, asked, 'resource'),
  )
}

function tasks(
  operation: Operation,
  toEntity: (task: Fields) => Fields,
  filter: Fields = {},
): ResourceSpelling {
  return spell(
    operation,
    (_, page) => ({ ...filter, ...page }),
    ({ tasks, total }, asked) => {
      const { limit = DEFAULT_LIMIT, offset = 0 } = asked
      const entities = (tasks as Fields[]).map(toEntity)
      return fitPage({ entities, total, limit, offset }, asked, 'resource')
    },
  )
}
