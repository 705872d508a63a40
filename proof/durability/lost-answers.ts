import type { Findings, Proof, Trial } from '../proof.ts'
import { ERROR_CODES } from '@waymark/baton'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { Connection } from '@waymark/sqlite'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { locateProject } from '../../packages/waymark/src/core/project/locate-project.ts'
import { databasePath } from '../../packages/waymark/src/core/store/state-folder.ts'
import { contextOf } from '../system/agent.ts'
import { type HttpServer, startHttpServer } from '../system/http-server.ts'
import { createProject } from '../system/repository.ts'
import { serverObstacle, startServer } from '../system/server.ts'
import { countEffects, prepareCalls, type RepeatedCall } from './repeated-calls.ts'

const ROUNDS = { short: 2, full: 4 }
const CALLS = { short: 40, full: 250 }
/** So many repeated calls are under way at once. */
const UNDER_WAY = 20
const HTTP_CALLS = { short: 40, full: 1000 }

const DAY_MS = 24 * 3_600_000
/** By how much the clock of a server is off that is asked again. */
const CLOCKS_OFF_MS = [0, 2, -2, 365_250, -365_250].map((days) => days * DAY_MS)

/**
 * A server dies, or a connection breaks, somewhere between a call's first byte and its answer's last; the client asks
 * again. Over pipes it asks another server, whose clock may be wrong by days or 1000 years.
 */
export const lostAnswers: Proof = {
  id: 'lost-answers',
  promise: 'A call that is repeated with its idempotency key has its effect exactly once',
  unit: 'calls sent whole before and sent again',
  goal: 10_000,
  faults: [
    'another_key',
    'another_key_to_take',
    'effect_undone',
    'repeat_refused',
    'answers_forgotten',
  ],
  obstacle: serverObstacle,
  run: tryLostAnswers,
}

async function tryLostAnswers({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const random = createRandom(seed)
  const trial: Sending = { directory: project.path, random, fault }
  const all = { made: [] as RepeatedCall[], acknowledged: [] as RepeatedCall[] }
  const counts = {
    sent_twice: 0,
    answered_before: 0,
    over_pipes: 0,
    over_http: 0,
    with_a_wrong_clock: 0,
    cut_before_its_end: 0,
    told_to_wait: 0,
  }
  const refusals: string[] = []
  for (let round = 0; round < ROUNDS[level]; round += 1) {
    const options = {
      count: CALLS[level],
      name: `round ${round}`,
      random,
      surface: 'pipes' as const,
      act: (operation: string, input: object) => createTaskIn(project.path, operation, input),
    }
    const made = await prepareCalls(options)
    const seen = await sendOverPipes(trial, made)
    counts.over_pipes += seen.sent
    counts.answered_before += seen.answered
    counts.with_a_wrong_clock += seen.isClockOff ? seen.sent : 0
    all.made.push(...made)
    all.acknowledged.push(...seen.acknowledged)
    counts.told_to_wait += seen.waiting
    refusals.push(...seen.refusals)
  }
  await using server = await startHttpServer(project.path)
  const made = await prepareCalls({
    count: HTTP_CALLS[level],
    name: 'http',
    random,
    surface: 'http',
    act: async (operation, input) =>
      JSON.parse(await server.post(`/api/${operation}`, input)) as unknown,
  })
  const seen = await sendOverHttp(trial, server, made)
  counts.over_http += seen.sent
  counts.cut_before_its_end += made.length - seen.sent
  all.made.push(...made)
  all.acknowledged.push(...seen.acknowledged)
  counts.told_to_wait += seen.waiting
  refusals.push(...seen.refusals)
  counts.sent_twice = counts.over_pipes + counts.over_http
  // What is left of an answer that was kept without the change that it tells of.
  if (fault === 'effect_undone') {
    alter(project.path, 'DELETE FROM message WHERE id = (SELECT max(id) FROM message)')
  }
  const { lost, doubled } = countEffects(project.path, stateOf(project.path), all)
  const { sent_twice: tried, ...others } = counts
  return {
    tried,
    violations: { lost: lost.length, doubled: doubled.length, refused: refusals.length },
    counts: { calls: all.made.length, ...others },
    example: lost[0] ?? doubled[0] ?? refusals[0],
  }
}

function alter(directory: string, statement: string): void {
  const connection = new Connection(databasePath(stateOf(directory)), 'write')
  connection.exec(statement)
  connection.close()
}

function stateOf(directory: string): string {
  return locateProject(directory)?.stateDir ?? ''
}

/** The environment of a process whose clock is off by so much. */
function clockOff(milliseconds: number): NodeJS.ProcessEnv {
  if (milliseconds === 0) return {}
  return { NODE_OPTIONS: `--import=${SET_CLOCK.href}`, CLOCK_OFF_MS: String(milliseconds) }
}

const SET_CLOCK = new URL('../../packages/waymark/test/e2e/set-clock.mjs', import.meta.url)

interface Sent {
  /** How many calls were sent whole before. */
  readonly sent: number
  /** Those that were acknowledged when they were repeated. */
  readonly acknowledged: readonly RepeatedCall[]
  /** How many were told to come again: nobody was told that those have happened. */
  readonly waiting: number
  /** Answers that refuse what was already done, or could be. */
  readonly refusals: readonly string[]
}

interface Sending {
  readonly directory: string
  readonly random: Random
  /** The planted mistake, such as a client that thinks of a new key for the second time. */
  readonly fault: string | undefined
}

/** Tasks to be taken; whose they are does not matter. */
async function createTaskIn(directory: string, operation: string, input: object): Promise<unknown> {
  if (operation !== createTask.name) throw new Error(`not over pipes: ${operation}`)
  await using project = await openProject(directory)
  return await execute(contextOf(project, 'planner'), createTask, input)
}

/** The server is killed with calls under way, and another one is asked all of them again. */
async function sendOverPipes(
  { directory, random, fault }: Sending,
  calls: readonly RepeatedCall[],
): Promise<Sent & { readonly answered: number; readonly isClockOff: boolean }> {
  const lines = calls.map((call, at) => toLine(call, at + 1))
  const text = lines.join('')
  await using first = await startServer(directory)
  // From the middle on, so that most were sent.
  const sent = text.slice(0, Math.ceil(text.length / 2) + random.below(text.length / 2))
  const whole = sent.split('\n').length - 1
  first.send(sent)
  // Of the calls that arrived whole, some are answered when the server dies, and the next is on its way.
  await first.untilAnswers(random.below(whole + 1))
  await first.kill()
  const answered = first.lines.length

  if (fault === 'answers_forgotten') alter(directory, 'DELETE FROM answer')
  const off = random.pick(CLOCKS_OFF_MS)
  await using second = await startServer(directory, [], clockOff(off))
  const repeats = calls.map((call, at) => toLine(again(call, fault), at + 1))
  for (let at = 0; at < calls.length; at += UNDER_WAY) {
    second.send(repeats.slice(at, at + UNDER_WAY).join(''))
    await second.untilAnswers(Math.min(at + UNDER_WAY, calls.length))
  }
  const answers = new Map(second.lines.map((line) => [idOf(line), line]))
  const all = calls.map((call, at) => ({ call, answer: answers.get(at + 1) ?? 'no answer' }))
  return { sent: whole, answered, isClockOff: off !== 0, ...sort(all) }
}

/** On a busy machine a call may have to be made a third time. */
const COME_AGAIN: ReadonlySet<string> = new Set([
  'busy',
  'timeout',
  String(ERROR_CODES.busy),
  String(ERROR_CODES.requestTimeout),
])

function sort(
  all: readonly { readonly call: RepeatedCall; readonly answer: string }[],
): Pick<Sent, 'acknowledged' | 'waiting' | 'refusals'> {
  const judged = all.map((each) => ({ ...each, code: refusalIn(each.answer) }))
  const isWaiting = ({ code }: { code?: string | undefined }): boolean => COME_AGAIN.has(code ?? '')
  return {
    acknowledged: judged.filter(({ code }) => code === undefined).map(({ call }) => call),
    waiting: judged.filter(isWaiting).length,
    refusals: judged
      .filter((each) => each.code !== undefined && !isWaiting(each))
      .map(({ call, answer }) => `${JSON.stringify(call)}: ${answer.slice(0, 500)}`),
  }
}

/** With which code an answer refuses, if it does. */
function refusalIn(answer: string): string | undefined {
  if (!answer.startsWith('{')) return answer
  if (!answer.includes('"error":{')) return undefined
  return /"error":\{[^{}]*"code":"?(-?\w+)/.exec(answer)?.[1] ?? 'unknown'
}

function idOf(line: string): number {
  return (JSON.parse(line) as { id: number }).id
}

function toLine({ name, input }: RepeatedCall, id: number): string {
  const params = { name, arguments: input }
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
}

/** The connection is cut at any byte of the request or of its answer, and the call is made again on a new one. */
async function sendOverHttp(
  { random, fault }: Sending,
  server: HttpServer,
  calls: readonly RepeatedCall[],
): Promise<Sent> {
  let sent = 0
  const all: { call: RepeatedCall; answer: string }[] = []
  for (const call of calls) {
    sent += (await sendCut(server, call, random)) ? 1 : 0
    const answer = await server.post(`/api/${call.name}`, again(call, fault).input)
    all.push({ call, answer })
  }
  return { sent, ...sort(all) }
}

/** Says whether the whole request was sent. */
async function sendCut(server: HttpServer, call: RepeatedCall, random: Random): Promise<boolean> {
  const request = server.toRequest(`/api/${call.name}`, call.input)
  // One of four requests is cut; of the answers to the others any number of bytes is waited for.
  const isCut = random.below(4) === 0
  await server.sendRaw(isCut ? request.subarray(0, random.below(request.length)) : request, {
    answerBytes: isCut ? 0 : random.below(600),
  })
  return !isCut
}

function again(call: RepeatedCall, fault: string | undefined): RepeatedCall {
  const { input, kind } = call
  // The same key for something else.
  if (fault === 'repeat_refused') return { ...call, input: { ...input, unknown: true } }
  const isForgetful =
    fault === 'another_key' || (fault === 'another_key_to_take' && kind === 'take')
  if (!isForgetful) return call
  const key = `${String(input['idempotency_key'])} again`
  return { ...call, input: { ...input, idempotency_key: key } }
}
