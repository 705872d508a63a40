import { parentPort } from 'node:worker_threads'
import { parse } from 'yaml'
import type { Reply } from '../worker/worker-pool.ts'
import type { ParsedYaml } from './parse-yaml.ts'

parentPort?.on('message', (text: string) => post({ answer: JSON.stringify(tryParse(text)) }))
post('ready')

function tryParse(text: string): ParsedYaml {
  try {
    // Aliases can be nested so that a small file grows without end.
    return { value: parse(text, { maxAliasCount: 100 }) as unknown }
  } catch (error) {
    const [problem = ''] = (error as Error).message.split('\n')
    return { problem }
  }
}

function post(reply: Reply<string>): void {
  parentPort?.postMessage(reply)
}
