import { type Context, createContext } from '../../../core/context.ts'
import { execute } from '../../../core/execute.ts'
import type { Operation } from '../../../core/operation.ts'
import { openProject } from '../../../core/project/project.ts'
import { ENTITY_TYPES, propertiesSchema } from '../../../entity/entity.ts'
import { listEntities } from '../../../entity/operations.ts'
import { RELATION_TYPES } from '../../../relation/relation.ts'
import { SILENT } from '../../../support/logger.ts'
import { PRIORITY_NAMES } from '../../../task/task.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Flag } from '../input/flags.ts'

/** A word that may come next, and what it stands for. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

interface Command {
  readonly operation: Operation
  readonly words: readonly string[]
}

/** What the value of a flag or an argument may be; empty where that is not known. */
export async function valuesOf(
  { choices, path }: Flag,
  { operation: { name }, words }: Command,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  const field = path.at(-1) ?? ''
  if (choices !== undefined) return choices.map(toCandidate)
  if (field === 'priority' || field === 'max_priority') return PRIORITY_NAMES.map(toCandidate)
  if (field === 'status') return statusesIn(words).map(toCandidate)
  if (field === 'type' && name.startsWith('relation.')) return RELATION_TYPES.map(toCandidate)
  if (`${name} ${field}` === 'message.send to')
    return [toCandidate('owner'), ...(await agents(terminal))]
  if (field === 'author' || field === 'assignee') return await agents(terminal)
  if (TASKS.has(field)) return await entitiesFor('task', terminal)
  return REFERENCES.has(field) ? await entitiesFor(name, terminal) : []
}

/** Fields that name something which is there. */
const REFERENCES: ReadonlySet<string> = new Set([
  'id',
  'source',
  'target',
  'from',
  'to',
  'old',
  'new',
])
const TASKS: ReadonlySet<string> = new Set([
  'task',
  'parent',
  'depends_on',
  'add_depends_on',
  'remove_depends_on',
  'blocks',
  'discovered_from',
  'duplicates',
])

function toCandidate(word: string): Candidate {
  return { word, about: '' }
}

/** Those of the type that is named before. */
function statusesIn(words: readonly string[]): readonly string[] {
  const type = ENTITY_TYPES.find((each) => words.includes(each))
  return type === undefined ? [] : (propertiesSchema(type).properties?.['status']?.enum ?? [])
}

const MOST_ENTITIES = 30

/** The entities that an operation of this name takes, newest first. */
export async function entitiesFor(name: string, terminal: Terminal): Promise<readonly Candidate[]> {
  return await reading(terminal, async (context) => {
    const type = name.startsWith('task') ? { type: 'task' } : {}
    const { total } = await execute(context, listEntities, { ...type, limit: 1 })
    const found: Candidate[] = []
    // Large ones fill a page before it has as many as were asked for.
    for (let left = Math.min(total, MOST_ENTITIES); left > 0;) {
      const page = { ...type, limit: left, offset: total - left }
      const { entities } = await execute(context, listEntities, page)
      for (const { number, title, type } of entities) {
        found.push({ word: String(number), about: `${type}: ${title}` })
      }
      left = entities.length === 0 ? 0 : left - entities.length
    }
    return found.toReversed()
  })
}

/**
 * Agents choose their names, and bash puts a candidate into the command line as it is: a name that would need quotes
 * could run a command there, one with a hyphen first would be an option.
 */
const TYPED_WITHOUT_QUOTES = /^\w[\w.@+:/-]*$/

async function agents(terminal: Terminal): Promise<readonly Candidate[]> {
  const { listAgents } = await import('../../../agent/operations.ts')
  return await reading(terminal, async (context) => {
    const found = await execute(context, listAgents, { include_offline: true })
    const names = found.agents.flatMap(({ name }) => name ?? [])
    return [...new Set(names)].filter((name) => TYPED_WITHOUT_QUOTES.test(name)).map(toCandidate)
  })
}

async function reading<T>({ cwd }: Terminal, read: (context: Context) => Promise<T>): Promise<T> {
  await using project = await openProject(cwd)
  const context = createContext({
    store: project.store,
    agent: { name: null, surface: 'cli' },
    access: { readOnly: true },
    logger: SILENT,
  })
  return await read(context)
}
