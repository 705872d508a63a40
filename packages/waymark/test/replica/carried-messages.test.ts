import { describe, expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { answerQuestion } from '../../src/message/answer.ts'
import { showInbox } from '../../src/message/inbox.ts'
import { ackMessages, listMessages, sendMessage } from '../../src/message/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'

interface Clones {
  /** Two clones of one person, and one of another. */
  readonly desk: Clone
  readonly laptop: Clone
  readonly bob: Clone
}

async function threeClones(team: Team): Promise<Clones> {
  const [desk, laptop, bob] = await Promise.all(
    ['desk', 'laptop', 'bob'].map((name) => team.clone(name, { coordination: 'auto' })),
  )
  if (desk === undefined || laptop === undefined || bob === undefined) throw new Error('no clones')
  for (const clone of [desk, laptop]) clone.git('config', 'user.name', 'Ann Lee')
  bob.git('config', 'user.name', 'Bob')
  await desk.run(createTask, { title: 'Write the lexer' })
  for (const clone of [desk, laptop, bob]) await clone.sync()
  return { desk, laptop, bob }
}

function asPerson({ context }: Clone) {
  return { ...context, agent: { name: 'Ann Lee', surface: 'cli', assumed: true } as const }
}

const inboxOf = async (clone: Clone) => await execute(asPerson(clone), showInbox, {})

describe('a question to the owner', () => {
  test('waits in the other clones of that person, and in no clone of another [carried-question]', async () => {
    await using team = createTeam()
    const { desk, laptop, bob } = await threeClones(team)
    const { task } = await desk.run(createTask, { title: 'Write the parser' })
    const about = { to: 'owner', task: task.id, subject: 'Tables', severity: 'blocker' } as const
    await desk.run(sendMessage, { body: 'Drop the old table?', ...about })
    await desk.run(sendMessage, { body: 'for agents only' })
    for (const clone of [desk, laptop, bob]) await clone.sync()
    const { questions } = await inboxOf(laptop)
    expect(questions).toMatchObject([
      {
        body: 'Drop the old table?',
        subject: 'Tables',
        severity: 'blocker',
        task_id: task.id,
        from_name: expect.stringMatching(/^desk in clone [0-9a-f]{8}$/) as string,
        arrived: true,
      },
    ])
    expect(questions[0]).not.toHaveProperty('from_owner')
    expect((await inboxOf(bob)).questions).toEqual([])
    // Once, however often it is read.
    await laptop.sync()
    expect((await inboxOf(laptop)).questions).toHaveLength(1)
    expect(registerOf(team)).not.toContain('for agents only')
  })

  test('is closed by an answer in another clone, which reaches the agent but not as the owner [carried-answer]', async () => {
    await using team = createTeam()
    const { desk, laptop } = await threeClones(team)
    const asked = await desk.run(sendMessage, { body: 'Drop the old table?', to: 'owner' })
    await desk.sync()
    await laptop.sync()
    const [question] = (await inboxOf(laptop)).questions
    const answer = { question: `m${question?.id}`, body: 'yes, drop it' }
    await execute(asPerson(laptop), answerQuestion, answer)
    await laptop.sync()
    await desk.sync()
    expect((await inboxOf(desk)).questions).toEqual([])
    const { messages } = await desk.run(listMessages, {})
    expect(messages).toMatchObject([
      {
        body: 'yes, drop it',
        reply_to: asked.message.id,
        from_name: expect.stringMatching(/^Ann Lee in clone/) as string,
        arrived: true,
      },
    ])
    expect(messages[0]).not.toHaveProperty('from_owner')
    // What the agent writes back waits for the person, wherever that is.
    const thanks = { body: 'and the index?', reply_to: messages[0]?.id ?? 0 }
    expect((await desk.run(sendMessage, thanks)).message.to).toBe('owner')
    await desk.sync()
    await laptop.sync()
    const [again] = (await inboxOf(laptop)).questions
    expect(again?.body).toBe('and the index?')
    const reply = { body: 'that one too', reply_to: again?.id ?? 0 }
    expect((await execute(asPerson(laptop), sendMessage, reply)).note).toContain('next sync')
    await laptop.sync()
    await desk.sync()
    expect((await desk.run(listMessages, {})).messages.at(-1)?.body).toBe('that one too')
    await laptop.sync()
    // The text of neither stays at the remote.
    expect(registerOf(team)).not.toMatch(/drop|index|too/i)
  })

  test('that is answered where it was asked is closed in the other clones', async () => {
    await using team = createTeam()
    const { desk, laptop } = await threeClones(team)
    const { message } = await desk.run(sendMessage, { body: 'Drop the old table?', to: 'owner' })
    await desk.sync()
    await laptop.sync()
    expect((await inboxOf(laptop)).questions).toHaveLength(1)
    await execute(asPerson(desk), ackMessages, { ids: [message.id] })
    await desk.sync()
    await laptop.sync()
    expect((await inboxOf(laptop)).questions).toEqual([])
  })

  test('of any length and number stays within the bounds of the register', async () => {
    await using team = createTeam()
    const { desk, laptop } = await threeClones(team)
    for (let at = 0; at < 30; at += 1) {
      await desk.run(sendMessage, { body: `${at} ${'wörd '.repeat(2_000)}`, to: 'owner' })
    }
    await desk.sync()
    await laptop.sync()
    expect(registerOf(team).length).toBeLessThan(60_000)
    const { questions } = await inboxOf(laptop)
    expect(questions.length).toBeGreaterThan(5)
    expect(questions.at(-1)?.body).toMatch(/^29 wörd .*the whole text is in the clone/s)
  })
})

function registerOf({ remote }: Team): string {
  return git(remote, 'show', 'refs/waymark/live:messages')
}
