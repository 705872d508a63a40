import { parentPort } from 'node:worker_threads'
import { hashCode } from '../code-text.ts'
import type { Reply } from '../../support/worker/worker-pool.ts'
import type { CodeAnswer, CodeRequest } from './code-workers.ts'
import { compareLines, findLines } from './compare-lines.ts'
import { LARGEST_OUTLINE } from './limits.ts'
import { isOutOfMemory, parseUnits } from './parse-outline.ts'

parentPort?.on('message', (request: CodeRequest) => void answer(request))
post('ready')

async function answer(request: CodeRequest): Promise<void> {
  try {
    const answer = JSON.stringify((await work(request)) ?? null)
    post({ answer: answer.length > LARGEST_OUTLINE ? 'null' : answer })
  } catch {
    post({ failure: isOutOfMemory() ? 'memory' : 'crash' })
  }
}

function work(request: CodeRequest): unknown {
  switch (request.task) {
    case 'outline':
      return parseUnits(request.path, request.text)
    case 'hash':
      return hashCode(request.text, request.layout)
    case 'find':
      return findLines(request.text, request)
    case 'compare':
      return compareLines(request.older, request.newer, 'long')
  }
}

function post(reply: Reply<CodeAnswer>): void {
  parentPort?.postMessage(reply)
}
