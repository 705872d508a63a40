import * as z from 'zod'
import type { ReadContext, ServedProject } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { table } from '../core/show.ts'
import { findOpenQuestions } from '../message/questions.ts'
import { isPerson } from '../agent/agent.ts'
import type { ReadStore } from '../core/store/store.ts'
import { projectNameOf } from './project-name.ts'

const projectRow = z.object({
  name: z.string().describe('Its name in addresses: /projects/<name>'),
  ready: z.int(),
  in_progress: z.int(),
  waiting: z.int(),
  to_verify: z.int(),
  done: z.int(),
  questions: z.int().describe('What waits for an answer of the person'),
  problem: z.string().optional().describe('Why it cannot be opened; nothing is counted then'),
})

const NOTHING = {
  ready: 0,
  in_progress: 0,
  waiting: 0,
  to_verify: 0,
  done: 0,
  questions: 0,
}

export const listProjects = defineOperation({
  name: 'project.list',
  summary: 'List the projects that are served here, with what needs a person',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({ projects: z.array(projectRow) }),
  async run(context) {
    const { served, store } = context
    const own = projectNameOf(context)
    const all = (await served?.()) ?? [{ name: own, open: async () => store }]
    const projects: z.output<typeof projectRow>[] = []
    for (const one of all) {
      projects.push({ name: one.name, ...(await countIfOpen(context, one)) })
    }
    return { projects }
  },
  show: ({ projects }) => [
    table(projects, [
      {
        head: 'PROJECT',
        value: ({ name, problem }) => (problem === undefined ? name : `${name}: ${problem}`),
        isMain: true,
      },
      { head: 'READY', value: ({ ready }) => ready },
      { head: 'HELD', value: ({ in_progress }) => in_progress },
      { head: 'TO VERIFY', value: ({ to_verify }) => to_verify },
      { head: 'QUESTIONS', value: ({ questions }) => questions },
    ]),
  ],
})

/** One that cannot be opened hides no other. */
async function countIfOpen(context: ReadContext, project: ServedProject) {
  try {
    return await countWork(context, await project.open())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...NOTHING, problem: error.message }
  }
}

async function countWork(context: ReadContext, store: ReadStore) {
  const { messages, notes } = isPerson(context.agent)
    ? await findOpenQuestions(store)
    : { messages: [], notes: [] }
  return {
    ...(await store.tasks.countColumns(await store.now(context))),
    questions: messages.length + notes.length,
  }
}
