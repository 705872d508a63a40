import type { ReadContext } from '../core/context.ts'
import { reference, toDisplayId } from '../entity/reference.ts'
import { cutText, fitsReply } from '../support/text/reply-budget.ts'
import { fenced, toQuotation, toTitle } from '../support/text/visible-text.ts'
import { toPriorityName } from '../task/task.ts'
import { parse } from '../core/input/parse.ts'
import type { EntityRow } from '../entity/store.ts'
import { SIGNS_OF_LIFE } from '../brief/changes.ts'
import { findEntity } from '../entity/find-entity.ts'
import { otherEnd, reach } from '../graph/walk.ts'
import { asTask } from '../task/fields.ts'
import { toEntityId } from '../entity/entity-id.ts'

interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** A built-in prompt, rendered with the project's present contents. */
export interface BuiltInPrompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
  render(context: ReadContext, values: Readonly<Record<string, string>>): Promise<string>
}

const DAY_MS = 86_400_000
const SHOWN = 15
const EVENTS_READ = 500

export const BUILT_IN_PROMPTS: readonly BuiltInPrompt[] = [
  {
    name: 'project_summary',
    title: 'Project summary',
    description: 'Sum up the project from its decisions, components and tasks',
    arguments: [],
    async render(context) {
      return compose(
        'Write a summary of this project for a reader who has ten minutes: what it is, how it is built, what was decided and why, and what is being done now. Name entities by their number.',
        await sections(context, {
          'Decisions in force': await decisionsInForce(context),
          Components: await listed(context, 'component'),
          'Tasks that are ready': await queued(context, 'ready'),
          'Tasks in progress': await withStatus(context, 'in_progress'),
        }),
      )
    },
  },
  {
    name: 'decision_review',
    title: 'Decision review',
    description: 'Question a decision, or all that are proposed',
    arguments: [
      {
        name: 'id',
        description: 'Number or id of the decision; without it, all proposed ones',
        required: false,
      },
    ],
    async render(context, { id }) {
      const asked =
        'Review what follows: is the problem clear, which alternatives are missing, which consequences were not seen, does it contradict another decision? End with accept, change or reject for each.'
      const under =
        id === undefined ? await withStatus(context, 'proposed') : [await found(context, id)]
      return compose(
        asked,
        await sections(
          context,
          {
            'To be reviewed': under,
            'Other decisions in force': (await decisionsInForce(context)).filter(
              (row) => !under.some((other) => other.id === row.id),
            ),
          },
          'whole',
        ),
      )
    },
  },
  {
    name: 'task_breakdown',
    title: 'Task breakdown',
    description: 'Cut a task into steps that can be done one by one',
    arguments: [{ name: 'id', description: 'Number or id of the task', required: true }],
    async render(context, { id = '' }) {
      const task = await found(context, id)
      const { depths } = await reach(context.store.graph, task.id, {
        direction: 'both',
        depth: 1,
        budget: SHOWN + 1,
        signal: context.signal,
        follow: otherEnd,
      })
      const [, ...others] = depths.keys()
      return compose(
        'Break the task down into steps of at most a day each. For every step give a title, what is done when it is done, and which steps must come first. Create them as tasks that are subtasks of it, and relate those that block each other.',
        await sections(
          context,
          {
            'The task': [task],
            'What it is related to': await context.store.graph.entities(others),
            'Decisions in force': await decisionsInForce(context),
          },
          'whole',
        ),
      )
    },
  },
  {
    name: 'onboard_contributor',
    title: 'Onboard a contributor',
    description: 'Introduce a new contributor to the project',
    arguments: [{ name: 'name', description: 'Who is new', required: false }],
    async render(context, { name = 'a new contributor' }) {
      return compose(
        `Introduce ${JSON.stringify(name.slice(0, 100))} to this project: what to read first, which decisions must be known before touching code, who looks after what, and three tasks that are good to begin with.`,
        await sections(context, {
          'Decisions in force': await decisionsInForce(context),
          Components: await listed(context, 'component'),
          Notes: await listed(context, 'note'),
          Links: await listed(context, 'link'),
          'Tasks that are ready': await queued(context, 'ready'),
        }),
      )
    },
  },
  {
    name: 'daily_standup',
    title: 'Daily standup',
    description: 'What was done since yesterday, what is next, and what is in the way',
    arguments: [],
    async render(context) {
      const { done, changed } = await lastDay(context)
      return compose(
        'Write a standup report: what was done since yesterday, what is being done, what is next, what is in the way and who could help. Two lines each.',
        await sections(context, {
          'Done in the last 24 hours': done,
          'Changed in the last 24 hours': changed,
          'In progress': await withStatus(context, 'in_progress'),
          'Ready next': await queued(context, 'ready'),
          Blocked: await queued(context, 'blocked'),
        }),
      )
    },
  },
]

function compose(task: string, data: string): string {
  return `${task}\n\n${data}\n`
}

/** How many entities are shown, with how many characters of title and text. */
interface Room {
  readonly shown: number
  readonly title: number
  readonly text: number
}

/** Tried in order, with less and less detail, until everything fits into one answer. */
const ROOMS: readonly Room[] = [
  ...[4000, 2000, 1000, 500].map((text) => ({ shown: SHOWN, title: 500, text })),
  ...[500, 200, 100].map((text) => ({ shown: SHOWN, title: 120, text })),
  { shown: 8, title: 80, text: 100 },
  { shown: 4, title: 60, text: 40 },
]

async function sections(
  context: ReadContext,
  rowsByTitle: Readonly<Record<string, readonly EntityRow[]>>,
  detail: 'line' | 'whole' = 'line',
): Promise<string> {
  const nonce = context.newId()
  const told = ROOMS.map((room) => () => fenced(tell(rowsByTitle, detail, room), nonce))
  const fitting = told.find((tell) => fitsReply(tell()))
  return (fitting ?? told.at(-1))?.() ?? ''
}

function tell(
  rowsByTitle: Readonly<Record<string, readonly EntityRow[]>>,
  detail: 'line' | 'whole',
  room: Room,
): string {
  const parts = Object.entries(rowsByTitle).map(([title, rows], index) => {
    const shown = rows
      .slice(0, room.shown)
      .map((row) =>
        detail === 'whole' && index === 0 ? describeWhole(row, room) : describe(row, room),
      )
    const rest = rows.length > room.shown ? [`… and ${rows.length - room.shown} more`] : []
    return [`## ${title}`, '', ...(rows.length === 0 ? ['none'] : [...shown, ...rest])].join('\n')
  })
  return parts.join('\n\n')
}

function describe(row: EntityRow, room: Room): string {
  const facts = [
    row.status,
    row.type === 'task' ? toPriorityName(asTask(row).priority) : undefined,
    row.properties['due_date'],
    row.properties['assignee'] ?? row.properties['owner'],
  ].filter((fact) => typeof fact === 'string')
  const title = toTitle(cutText(row.title, room.title))
  const told = [
    ...facts.map((fact) => toTitle(cutText(fact, room.title))),
    ...(row.createdBy === null ? [] : [`by ${toTitle(row.createdBy)}`]),
  ]
  return `- ${toDisplayId(row)} ${title}${told.length > 0 ? ` [${told.join(', ')}]` : ''}`
}

function describeWhole(row: EntityRow, room: Room): string {
  const { context, consequences = [] } = row.properties
  const lists = Array.isArray(consequences) ? consequences.slice(0, room.shown) : []
  const texts = [row.content, context, ...lists].filter((text) => typeof text === 'string')
  return [describe(row, room), ...texts.map((text) => toQuotation(cutText(text, room.text)))].join(
    '\n\n',
  )
}

async function found({ store }: ReadContext, id: string): Promise<EntityRow> {
  return await findEntity(store.entities, parse(reference, id, ['arguments', 'id']), 'arguments.id')
}

async function decisionsInForce({ store }: ReadContext): Promise<readonly EntityRow[]> {
  const { entities } = await store.entities.list({
    type: 'decision',
    exceptStatuses: ['superseded', 'deprecated'],
    limit: 100,
    offset: 0,
  })
  return entities.toReversed()
}

async function listed({ store }: ReadContext, type: string): Promise<readonly EntityRow[]> {
  return (await store.entities.list({ type, limit: SHOWN + 1, offset: 0 })).entities
}

async function withStatus({ store }: ReadContext, status: string): Promise<readonly EntityRow[]> {
  return (await store.entities.list({ statuses: [status], limit: 50, offset: 0 })).entities
}

async function queued(
  context: ReadContext,
  state: 'ready' | 'blocked',
): Promise<readonly EntityRow[]> {
  const { store } = context
  const now = await store.now(context)
  return await store.tasks.queue({ state, now, limit: 50 })
}

/** What the newest events are about, as far as they are not older than a day. */
async function lastDay(
  context: ReadContext,
): Promise<{ done: readonly EntityRow[]; changed: readonly EntityRow[] }> {
  const { store } = context
  const events = await store.events.newest({ except: SIGNS_OF_LIFE, limit: EVENTS_READ })
  const since = context.now() - DAY_MS
  const ids = new Set(
    events.filter(({ at }) => at >= since).map(({ subject }) => toEntityId(subject)),
  )
  const rows = (await store.graph.entities([...ids])).toSorted((a, b) => b.updatedAt - a.updatedAt)
  return {
    done: rows.filter(({ type, status }) => type === 'task' && status === 'done'),
    changed: rows.filter(({ type, status }) => type !== 'task' || status !== 'done'),
  }
}
