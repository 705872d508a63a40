import { countExpectedAnswers } from '../../packages/baton/test/support/answer-oracle.ts'
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
  faults: ['answer_dropped'],
  obstacle: serverObstacle,
  run: tryFrames,
}

async function tryFrames({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const count = fault === undefined ? FRAMES[level] : FRAMES_WITH_FAULT
  const found = { tried: 0, unanswered: 0, answered_twice: 0, ended: 0 }
  for (const dialect of DIALECTS) {
    await using server = await startServer(project.path, ['--dialect', dialect])
    const makeFrame = createFrameFuzzer(seed)
    const lines = Array.from({ length: count }, makeFrame).flatMap(toLines)
    const expected = lines.reduce((sum, line) => sum + countExpectedAnswers(line), 0)
    server.send(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
    const exit = await server.finish()
    const answers = server.lines.filter(isAnswer).length - (fault === undefined ? 0 : 1)
    found.tried += lines.length
    found.unanswered += Math.max(0, expected - answers)
    found.answered_twice += Math.max(0, answers - expected)
    found.ended += exit === 0 ? 0 : 1
  }
  const { tried, ...violations } = found
  return { tried, violations }
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
