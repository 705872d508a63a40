import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerLedger } from '../../packages/baton/test/support/answer-ledger.ts'
import { createFrameFuzzer } from '../../packages/baton/test/support/frame-fuzzer.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { createProject } from '../system/repository.ts'
import { type Server, serverObstacle, startServer } from '../system/server.ts'
import { toolCalls } from './tool-calls.ts'

const DIALECTS = ['waymark', 'medulla', 'tasky', 'lodestar', 'ultragit']
const FRAMES = { short: 4000, full: 20_000 }
const FRAMES_WITH_FAULT = 1000
/** So many lines are under way at once: what still waits when the input ends may be told that the server is closing. */
const LINES_AT_ONCE = 200
/** Whoever has not answered by then will not. */
const PATIENCE_MS = 20_000

/** Broken, odd and random lines, sent to the installed server in each of its dialects. */
export const frames: Proof = {
  id: 'frames',
  promise: 'Every line that is sent to a server gets the answer it must get, and none ends it',
  unit: 'lines',
  goal: 200_000,
  faults: ['answer_dropped', 'answer_given_to_another', 'server_ended'],
  obstacle: serverObstacle,
  run: tryFrames,
}

async function tryFrames({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const count = fault === undefined ? FRAMES[level] : FRAMES_WITH_FAULT
  const found = {
    tried: 0,
    unanswered: 0,
    answered_twice: 0,
    ended: 0,
    example: undefined as string | undefined,
  }
  const counts = { answers_of_tools: 0 }
  for (const dialect of DIALECTS) {
    await using server = await startServer(project.path, ['--dialect', dialect])
    const makeFrame = createFrameFuzzer(seed, toolCalls(dialect))
    const lines = Array.from({ length: count }, makeFrame).flatMap(toLines)
    const ledger = await sendAll(server, lines)
    if (fault === 'server_ended') await server.kill()
    const exit = await server.finish()
    const { unanswered, unasked } = ledger.settle(plant(fault, server.lines.filter(isAnswer)))
    found.tried += lines.length
    counts.answers_of_tools += server.lines.filter((line) => line.includes('"content":')).length
    found.unanswered += unanswered.length
    found.answered_twice += unasked.length
    found.example ??= unanswered[0] ?? unasked[0]
    found.ended += exit === 0 ? 0 : 1
  }
  const { tried, example, ...violations } = found
  return {
    tried,
    violations,
    counts,
    ...(example !== undefined && { example: `answer ${example}` }),
  }
}

/** Sends lines as fast as they are answered, and notes which answers are owed. */
async function sendAll(server: Server, lines: readonly Buffer[]): Promise<AnswerLedger> {
  const ledger = new AnswerLedger()
  let isPatient = true
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE)
    for (const line of some) ledger.expect(line)
    server.send(Buffer.concat(some.flatMap((line) => [line, Buffer.from('\n')])))
    if (isPatient) isPatient = await hasAnswered(server, ledger.size)
  }
  return ledger
}

async function hasAnswered(server: Server, count: number): Promise<boolean> {
  const stop = new AbortController()
  const tooLate = sleep(PATIENCE_MS, false, { signal: stop.signal }).catch(() => false)
  const inTime = server.untilAnswers(count).then(() => true)
  const result = await Promise.race([inTime, tooLate])
  stop.abort()
  return result
}

/** Loses an answer, or gives one of them twice in its place, which a mere count would not see. */
function plant(fault: string | undefined, answers: readonly string[]): readonly string[] {
  if (fault === undefined || fault === 'server_ended') return answers
  const at = answers.findIndex((line) => !line.includes('"id":null'))
  const lost = answers.toSpliced(at, 1)
  return fault === 'answer_dropped' ? lost : [...lost, ...lost.slice(-1)]
}

function isAnswer(line: string): boolean {
  const message = JSON.parse(line) as object
  return 'result' in message || 'error' in message
}

function toLines(frame: Buffer): Buffer[] {
  return frame
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'))
}
