import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { raw } from '../../packages/waymark/src/core/show.ts'
import { defineOperation, type Operation } from '../../packages/waymark/src/core/operation.ts'

const input = z.object({ text: z.string() })
const output = z.object({ text: z.string() })
const show = ({ text }: z.output<typeof output>) => [raw(text)]

/** Operations that make the mistakes of others; each must be found out by what it lets through. */
export const FAULTY_OPERATIONS: Readonly<Record<string, Operation>> = {
  shell: defineOperation({
    name: 'faulty.shell',
    summary: 'Passes what it is given to a shell',
    example: '',
    effect: 'read',
    input,
    output,
    show,
    run: async (_context, { text }) => ({ text: attempt(`git log ${text}`) }),
  }),
  prefix_path_check: defineOperation({
    name: 'faulty.path',
    summary: 'Thinks that what begins like the project is inside of it',
    example: '',
    effect: 'read',
    input,
    output,
    show,
    run: async ({ project }, { text }) => {
      const root = realpathSync(project?.root ?? '')
      const path = join(root, text)
      return { text: path.startsWith(root) ? readText(path) : '' }
    },
  }),
  own_files: defineOperation({
    name: 'faulty.own',
    summary: 'Thinks that whatever is inside the project is for everybody',
    example: '',
    effect: 'read',
    input,
    output,
    show,
    run: async ({ project }, { text }) => {
      const path = join(project?.root ?? '', text)
      return { text: text.includes('..') || text.includes('link-out') ? '' : readText(path) }
    },
  }),
  merged_keys: defineOperation({
    name: 'faulty.merge',
    summary: 'Copies whatever keys are in the JSON it is given',
    example: '',
    effect: 'read',
    input,
    output,
    show,
    run: async (_context, { text }) => {
      if (text.startsWith('{"')) merge({}, JSON.parse(text) as Record<string, unknown>)
      return { text: '' }
    },
  }),
  unexpected_error: defineOperation({
    name: 'faulty.error',
    summary: 'Throws what is no answer',
    example: '',
    effect: 'read',
    input,
    output,
    show,
    run: async (_context, { text }) => ({ text: decodeURIComponent(text) }),
  }),
}

function attempt(command: string): string {
  try {
    return execFileSync('sh', ['-c', command], { stdio: 'pipe', encoding: 'utf8' })
  } catch {
    return ''
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function merge(target: Record<string, unknown>, source: Record<string, unknown>): void {
  for (const key of Object.keys(source)) {
    const value = source[key]
    const known = target[key]
    if (isObject(value) && isObject(known)) merge(known, value)
    else target[key] = value
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
