import { parentPort } from 'node:worker_threads'
import type { Reply } from '../worker/worker-pool.ts'
import type { CodeAnswer, CodeRequest } from './code-workers.ts'
import { LARGEST_OUTLINE } from './outline/limits.ts'
import { isOutOfMemory, parseUnits } from './outline/parse-outline.ts'

parentPort?.on('message', (request: CodeRequest) => void answer(request))
post('ready')

async function answer({ path, text }: CodeRequest): Promise<void> {
  try {
    const units = JSON.stringify((await parseUnits(path, text)) ?? null)
    post({ answer: units.length > LARGEST_OUTLINE ? 'null' : units })
  } catch {
    post({ failure: isOutOfMemory() ? 'memory' : 'crash' })
  }
}

function post(reply: Reply<CodeAnswer>): void {
  parentPort?.postMessage(reply)
}
