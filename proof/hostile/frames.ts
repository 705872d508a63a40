import { AnswerLedger } from '../../packages/baton/test/support/answer-ledger.ts'
import { createFrameFuzzer } from '../../packages/baton/test/support/frame-fuzzer.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { createProject } from '../system/repository.ts'
import { serverObstacle, startServer } from '../system/server.ts'

const DIALECTS = ['waymark', 'medulla', 'tasky', 'lodestar', 'ultragit']
const FRAMES = { short: 4000, full: 20_000 }
const FRAMES_WITH_FAULT = 1000

/** Broken, odd and random lines, sent to the installed server in each of its dialects. */
export const frames: Proof = {
  id: 'frames',
  promise: 'Every line that is sent to a server gets the answer it must get, and none ends it',
  unit: 'lines',
  goal: 200_000,
  faults: ['answer_dropped', 'answer_given_to_another'],
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
  for (const dialect of DIALECTS) {
    await using server = await startServer(project.path, ['--dialect', dialect])
    const makeFrame = createFrameFuzzer(seed)
    const lines = Array.from({ length: count }, makeFrame).flatMap(toLines)
    const ledger = new AnswerLedger()
    for (const line of lines) ledger.expect(line)
    server.send(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
    const exit = await server.finish()
    const { unanswered, unasked } = ledger.settle(plant(fault, server.lines.filter(isAnswer)))
    found.tried += lines.length
    found.unanswered += unanswered.length
    found.answered_twice += unasked.length
    found.example ??= unanswered[0] ?? unasked[0]
    found.ended += exit === 0 ? 0 : 1
  }
  const { tried, example, ...violations } = found
  return { tried, violations, ...(example !== undefined && { example: `answer ${example}` }) }
}

/** Loses an answer, or gives one of them twice in its place, which a mere count would not see. */
function plant(fault: string | undefined, answers: readonly string[]): readonly string[] {
  if (fault === undefined) return answers
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
