import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import type { Spec } from './lodestar-spec.ts'

/** So many tasks become text in one turn of the event loop. */
const TASKS_IN_TURN = 20

/** A specification as YAML, written in slices: that of thousands of tasks takes seconds. */
export async function toSpecText(spec: Spec, signal: AbortSignal): Promise<string> {
  const { toYaml } = await import('../../support/yaml/yaml-text.ts')
  const entries = Object.entries(spec.tasks)
  if (entries.length <= TASKS_IN_TURN) return toYaml(spec)
  const { project, features } = spec
  const texts: string[] = []
  for (let at = 0; at < entries.length; at += TASKS_IN_TURN) {
    await yieldToEventLoop(signal)
    const text = toYaml({ tasks: Object.fromEntries(entries.slice(at, at + TASKS_IN_TURN)) })
    texts.push(text.slice(HEAD.length))
  }
  return [toYaml({ project }), HEAD, ...texts, toYaml({ features })].join('')
}

const HEAD = 'tasks:\n'
