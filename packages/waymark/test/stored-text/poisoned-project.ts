import { execute } from '../../src/core/execute.ts'
import { addArtifact } from '../../src/artifact/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { claimTask, releaseTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { CLIENT, type CodeSetup } from '../operations/code/code-setup.ts'

export const FILE = 'src/client.ts'

/** So many texts go into the fields of one round of entities. */
export const ROUND = 40

/** Puts each of the texts into some field that somebody can write. */
export async function poison(project: CodeSetup, texts: readonly string[]): Promise<void> {
  project.commit('one', { [FILE]: CLIENT })
  for (let from = 0; from < texts.length; from += ROUND) {
    await poisonRound(project, texts.slice(from, from + ROUND))
  }
}

async function poisonRound(project: CodeSetup, texts: readonly string[]): Promise<void> {
  let at = 0
  const next = () => texts[at++ % texts.length] ?? 'x'
  const short = () => next().slice(0, 100)
  const author = project.as(short())
  const entity = async (type: string, properties: Record<string, unknown>) =>
    await execute(author, createEntity, {
      type,
      title: next(),
      content: next(),
      tags: [short(), 'question'],
      properties,
    })
  const decision = await entity('decision', {
    status: 'proposed',
    context: next(),
    consequences: [next(), next()],
  })
  await entity('note', {})
  await entity('component', { owner: short() })
  await entity('prompt', { template: `${next()} {{word}}`, variables: ['word'] })
  await entity('link', { url: 'https://example.org/' })
  const task = async (more: Record<string, unknown>) => {
    const made = await execute(author, createTask, {
      title: next(),
      content: next(),
      labels: [short()],
      assignee: short(),
      acceptance_criteria: [next()],
      locks: [next()],
      ...more,
    })
    return made.task
  }
  const blocker = await task({ key: short() })
  const waiting = await task({ depends_on: [`${blocker.number}`] })
  const released = await task({})
  const done = await task({})
  await execute(author, claimTask, { id: `${blocker.number}` })
  await execute(author, claimTask, { id: `${released.number}` })
  await execute(author, releaseTask, { id: `${released.number}`, reason: next() })
  await execute(author, completeTask, { id: `${done.number}`, reason: next(), force: true })
  await execute(author, createRelation, {
    source: `${waiting.number}`,
    target: `${decision.number}`,
    type: 'implements',
  })
  await execute(author, sendMessage, {
    body: next(),
    subject: short(),
    task: `${waiting.number}`,
    severity: 'blocker',
  })
  await execute(author, sendMessage, { body: next() })
  await execute(author, addArtifact, { text: next(), name: short(), tags: [short()] })
  await project.annotate(
    {
      summary: next(),
      regions: [
        {
          file: FILE,
          anchor: 'parse',
          intent: next(),
          reasoning: next(),
          risk_notes: next(),
          constraints: [next()],
        },
      ],
      cross_cutting: [{ description: next(), regions: [FILE] }],
    },
    author,
  )
}
