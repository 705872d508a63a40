import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Context, createContext } from '../../src/core/context.ts'
import { agentIdOf } from '../../src/agent/agent.ts'
import { Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import { joinAgent, leaveAgent } from '../../src/agent/operations.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { ackMessages, listMessages, sendMessage } from '../../src/message/operations.ts'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { IN_MEMORY } from '../in-memory.ts'
import { SEED } from '../seed.ts'
import { START } from '../setup.ts'

/** Of about fifteen calls each. More for a soak: `WAYMARK_MESSAGE_RUNS=700` makes 10,000 calls. */
const RUNS = Number(process.env['WAYMARK_MESSAGE_RUNS'] ?? 40)

interface Message {
  readonly id: number
  readonly from: number
  /** Everybody when undefined. */
  readonly to: number | undefined
  readonly body: string
  readonly readBy: Set<number>
  /** Agents that had joined or connected when it was sent. */
  readonly present: ReadonlySet<number>
}

interface Model {
  /** Agents that have acted or read. */
  readonly joined: Set<number>
  /** Agents with a connection, whether they have joined or not. */
  readonly connected: Set<number>
  /** Agents that have left; reading may have brought them back. */
  readonly left: Set<number>
  readonly messages: Message[]
  /** What each sender has sent under a key of its own. */
  readonly keys: Map<string, Message>
  calls: number
}

interface Real {
  as(agent: number): Context
  connect(agent: number): void
  id(agent: number): string
  tick(): void
}

type Command = fc.AsyncCommand<Model, Real>

const AGENTS = 3
const agent = fc.nat(AGENTS - 1)
/** One more agent, on a read-only server. */
const READ_ONLY = AGENTS
const reader = fc.nat(READ_ONLY)

function isFor({ from, to }: Message, reader: number): boolean {
  return to === undefined ? from !== reader : to === reader
}

/** What was said to everybody before one came is not for oneself. */
function inbox({ messages }: Model, reader: number): Message[] {
  return messages.filter(
    (message) =>
      isFor(message, reader) && (message.to !== undefined || message.present.has(reader)),
  )
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      real.tick()
      model.calls += 1
      await run(model, real)
      for (const reader of model.joined) await compare(model, real, reader)
    },
    toString: () => name,
  }
}

const joinIn = agent.map((who) =>
  command(`join(${who})`, async (model, real) => {
    await execute(real.as(who), joinAgent, {})
    model.joined.add(who)
    model.left.delete(who)
  }),
)

/** Makes no agent, but later broadcasts are for it. */
const connect = reader.map((who) =>
  command(`connect(${who})`, async (model, real) => {
    if (model.joined.has(who) || model.connected.has(who)) return
    real.connect(who)
    model.connected.add(who)
  }),
)

/** Reading the inbox or a brief joins. */
const look = fc
  .record({ who: reader, how: fc.constantFrom('inbox', 'brief') })
  .map(({ who, how }) =>
    command(`${how}(${who})`, async (model, real) => {
      const unread = inbox(model, who).filter(({ readBy }) => !readBy.has(who))
      const found =
        how === 'inbox'
          ? await execute(real.as(who), listMessages, { limit: 200 })
          : await execute(real.as(who), showBrief, {})
      expect(found.unread).toBe(unread.length)
      model.joined.add(who)
    }),
  )

const leave = agent.map((who) =>
  command(`leave(${who})`, async (model, real) => {
    await execute(real.as(who), leaveAgent, {})
    model.joined.add(who)
    model.left.add(who)
  }),
)

/** Few keys, so that the same call is made again, and sometimes another one under a key that was used. */
const send = fc
  .record({
    from: agent,
    to: fc.option(agent, { nil: undefined }),
    key: fc.option(fc.nat(3), { nil: undefined }),
    body: fc.constantFrom('hello', 'good bye'),
    atOnce: fc.constantFrom(1, 2, 3),
  })
  .map(({ from, to, key, body, atOnce }) =>
    command(`send(${from} → ${to}, ${body}, key ${key}, × ${atOnce})`, async (model, real) => {
      const input = { body, ...(to !== undefined && { to: real.id(to) }) }
      const repeated = { ...input, ...(key !== undefined && { idempotency_key: `k${key}` }) }
      const earlier = key === undefined ? undefined : model.keys.get(`${from} ${key}`)
      const expected = outcomeOf(model, { from, to, body }, earlier)
      // Without a key each call is a message of its own; with one they are all the same call.
      const times = key === undefined ? 1 : atOnce
      const sent = await Promise.all(
        Array.from({ length: times }, () =>
          attempt(() => execute(real.as(from), sendMessage, repeated)),
        ),
      )
      const [first] = sent
      expect(sent.map(({ is }) => is)).toEqual(sent.map(() => expected))
      const id = first?.output?.message.id
      expect(sent.map(({ output }) => output?.message.id)).toEqual(sent.map(() => id))
      if (id === undefined) return
      model.joined.add(from)
      model.left.delete(from)
      if (earlier !== undefined) {
        expect(id).toBe(earlier.id)
        return
      }
      const readBy = new Set<number>()
      const present = new Set([...model.joined, ...model.connected])
      const message = { id, from, to, body, readBy, present }
      if (to === undefined) expectDelivery(model, real, from, first?.output?.delivered_to)
      model.messages.push(message)
      if (key !== undefined) model.keys.set(`${from} ${key}`, message)
    }),
  )

/** All other agents that have joined; those that have left may have come back. */
function expectDelivery(
  model: Model,
  real: Real,
  from: number,
  told: readonly string[] = [],
): void {
  const others = [...model.joined].filter((who) => who !== from && who !== READ_ONLY)
  // Agents of earlier runs are there too.
  const reached = [...Array(AGENTS + 1).keys()].filter((who) => told.includes(real.id(who)))
  expect(others).toEqual(expect.arrayContaining(reached))
  expect(reached).toEqual(expect.arrayContaining(others.filter((who) => !model.left.has(who))))
}

function outcomeOf(
  { joined }: Model,
  { from, to, body }: Pick<Message, 'from' | 'to' | 'body'>,
  earlier: Message | undefined,
): string {
  if (earlier !== undefined) {
    return earlier.to === to && earlier.body === body ? 'done' : 'key_reused'
  }
  // Whoever writes has joined by it, and may write to itself.
  return to === undefined || to === from || joined.has(to) ? 'done' : 'not_found'
}

/** Anything may be acknowledged, again and again; only what one has received, and only the first time, counts. */
const acknowledge = fc
  .record({ who: agent, which: fc.array(fc.nat(12), { minLength: 1, maxLength: 6 }) })
  .map(({ who, which }) =>
    command(`ack(${who}, ${which.join()})`, async (model, real) => {
      const ids = which.map((at) => model.messages[at]?.id ?? 1_000_000 + at)
      const { acknowledged } = await execute(real.as(who), ackMessages, { ids })
      model.joined.add(who)
      model.left.delete(who)
      const expected = [...new Set(which)]
        .map((at) => model.messages[at])
        .filter((message) => message !== undefined)
        .filter((message) => isFor(message, who) && !message.readBy.has(who))
      expect(acknowledged).toEqual(expected.map(({ id }) => id))
      for (const { readBy } of expected) readBy.add(who)
    }),
  )

async function compare(model: Model, real: Real, reader: number): Promise<void> {
  const mine = inbox(model, reader)
  const unread = mine.filter(({ readBy }) => !readBy.has(reader))
  const list = async (unread_only: boolean) =>
    await execute(real.as(reader), listMessages, { unread_only, limit: 200 })
  const [all, news] = [await list(false), await list(true)]
  expect(all.messages.map(({ id }) => id)).toEqual(mine.map(({ id }) => id))
  expect(all.messages.map(({ body }) => body)).toEqual(mine.map(({ body }) => body))
  expect(news.messages.map(({ id }) => id)).toEqual(unread.map(({ id }) => id))
  expect(news.unread).toBe(unread.length)
}

async function attempt<T>(work: () => Promise<T>): Promise<{ is: string; output?: T }> {
  try {
    return { is: 'done', output: await work() }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { reason } = error.details
    return { is: typeof reason === 'string' ? reason : error.code }
  }
}

it(`whatever is sent, sent again, read and acknowledged, everybody has it once and in order, in ${RUNS} runs [message-model-whatever-sent]`, async () => {
  const directory = mkdtempSync(join(IN_MEMORY, 'waymark-messages-'))
  try {
    await initialiseProject(directory)
    await using project = await openProject(directory)
    let now = START
    let run = 0
    let calls = 0
    const setup = (): { model: Model; real: Real } => {
      run += 1
      const name = (who: number) => `agent ${who} of run ${run}`
      const connectedAt = new Map<number, number>()
      const as = (who: number) => {
        const began = connectedAt.get(who)
        return createContext({
          store: project.store,
          agent: {
            name: name(who),
            surface: 'api',
            ...(began !== undefined && { connectedAt: began }),
          },
          access: { readOnly: who === READ_ONLY },
          logger: SILENT,
          now: () => now,
        })
      }
      return {
        model: {
          joined: new Set(),
          connected: new Set(),
          left: new Set(),
          messages: [],
          keys: new Map(),
          calls: 0,
        },
        real: {
          as,
          connect: (who) => connectedAt.set(who, now),
          id: (who) => agentIdOf(name(who)),
          tick: () => (now += 1000),
        },
      }
    }
    const commands = fc.commands(
      [send, send, send, acknowledge, acknowledge, joinIn, leave, connect, look],
      {
        maxCommands: 30,
        size: 'max',
      },
    )
    await fc.assert(
      fc.asyncProperty(commands, async (planned) => {
        const { model, real } = setup()
        await fc.asyncModelRun(() => ({ model, real }), planned)
        calls += model.calls
      }),
      { seed: SEED, numRuns: RUNS },
    )
    expect(calls).toBeGreaterThan(RUNS * 10)
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
})
