import { describe, expect, it } from 'vitest'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { createLogger } from '../../src/support/logger.ts'
import { setupCode } from '../operations/code/code-setup.ts'
import { connect, type DialectClient, type Fields } from '../dialects/client.ts'
import { hiddenIn } from './injections.ts'
import { FILE } from './poisoned-project.ts'

/** A letter that none of our own words has. */
const FOREIGN = 'Ж'
const MOST = 200

/** Texts that steer a terminal, begin a line or go on for ever. */
const TEXTS = [
  `\u001b[2J\u001b]0;x\u0007${FOREIGN}`,
  `\u009b2K\u0090x\u009c${FOREIGN}\u007f`,
  `${FOREIGN}\nERROR waymark forged\r\n`,
  `${FOREIGN}\u202egnp\u2066\u200b\u{e0041}\u2028x`,
  FOREIGN.repeat(5000),
  `${`${FOREIGN}\u001b`.repeat(90)}`,
]

/** Calls that fail, with a text in the place that the error names. */
const CALLS: Readonly<Record<string, (text: string) => readonly (readonly [string, Fields])[]>> = {
  waymark: (text) => [
    ['recall', { id: text }],
    ['recall', { [text]: 1, query: 'x' }],
    ['task_get', { ids: [text] }],
    ['task_create', { tasks: [{ title: 'x', depends_on: [text] }] }],
    ['task_update', { ids: ['1'], action: text }],
    ['task_next', { id: '1' }],
    ['message_send', { body: 'x', to: text }],
    ['code_why', { path: text }],
    ['code_why', { path: FILE, anchor: text }],
    ['annotate', { commit: text, summary: 'x' }],
    ['prompt_render', { name: text }],
    ['artifact_read', { id: text }],
    ['entity_list', { type: text }],
    ['relation_create', { source: '1', target: text, type: text }],
    [text, {}],
  ],
  medulla: (text) => [
    ['entity_get', { id: text }],
    ['entity_create', { type: text, title: 'x' }],
    ['search_query', { query: `created:${text}` }],
    ['relation_create', { source_id: '1', target_id: '1', relation_type: text }],
    [text, {}],
  ],
  lodestar: (text) => [
    ['lodestar.task.get', { taskId: text }],
    ['lodestar.task.claim', { taskId: '1', agentId: text }],
    ['lodestar.task.list', { cursor: text }],
    [text, {}],
  ],
  tasky: (text) => [
    ['get_tasks', { task_ids: [text] }],
    ['search_tasks', { due_before: text }],
    [text, {}],
  ],
  ultragit: (text) => [
    ['ultragit_read', { path: text }],
    ['ultragit_read', { path: FILE, anchor: text }],
    ['ultragit_read', { path: FILE, lines: text }],
    [text, {}],
  ],
}

describe('an error or a log line about what somebody wrote', () => {
  it.each(Object.keys(CALLS))(
    'is visible, on one line and short, in %s [errors-visible-line]',
    async (dialect) => {
      await using project = await setupCode()
      project.commit('one', { [FILE]: 'export function parse() {}\n' })
      await using holder = await connect('waymark', {
        project,
        env: { WAYMARK_ACTOR: TEXTS[1]?.slice(0, 100) ?? '' },
      })
      await holder.call('task_create', { tasks: [{ title: 'held' }] })
      await holder.call('task_next', { id: '1' })
      const dialects = await loadDialects(dialect, { toolsets: 'all' })
      const { code } = project.context
      const server = { dialects, ...(code !== undefined && { code }) }
      await using client = await connect(dialect, { project, server })
      const problems: string[] = []
      for (const text of TEXTS) {
        for (const [tool, args] of CALLS[dialect]?.(text) ?? []) {
          problems.push(...inMessages(tool, await messagesOf(client, tool, args)))
        }
        for (const [method, params] of [
          ['prompts/get', { name: text }],
          ['resources/read', { uri: `medulla://${text}` }],
          ['resources/read', { uri: text }],
          [text, {}],
        ] as const) {
          const { error } = (await client.request(method, params)) as {
            error?: { message: string }
          }
          problems.push(...inMessages(method, [error?.message ?? '']))
        }
      }
      expect([...problems, ...inMessages('log', [...client.log, ...holder.log])]).toEqual([])
      expect(client.log.length).toBeGreaterThan(10)
    },
  )

  it('is one short line of any log format, whatever a field holds', () => {
    for (const format of ['text', 'json'] as const) {
      const lines: string[] = []
      const write = (line: string) => lines.push(line)
      const logger = createLogger({ level: 'info', target: 'test', format, write })
      for (const text of TEXTS) {
        logger.with({ id: text }).warn('refused', { message: text, error: new Error(text) })
      }
      for (const line of lines) {
        expect(hiddenIn(line)).toBeUndefined()
        expect(line).not.toContain('\n')
        expect(line.length).toBeLessThan(20_000)
      }
    }
  })
})

/** The error of a tool; a success, such as a notice about a name, is looked at in the same way. */
async function messagesOf(
  client: DialectClient,
  name: string,
  args: Fields,
): Promise<readonly string[]> {
  const { result, error } = await client.request('tools/call', { name, arguments: args })
  if (error !== undefined) return [JSON.stringify(error['message'])]
  const { content, isError, structuredContent } = result as {
    content: readonly { text: string }[]
    isError?: boolean
    structuredContent?: { error?: { message?: string } }
  }
  const told = structuredContent?.error?.message
  const texts = content.map(({ text }) => text)
  return isError === true ? [...texts.flatMap((text) => text.split('\n')), told ?? ''] : texts
}

function inMessages(place: string, messages: readonly string[]): readonly string[] {
  return messages.flatMap((message) => {
    const named = place.slice(0, 30)
    const hidden = hiddenIn(message)
    const foreign = message.split(FOREIGN).length - 1
    return [
      ...(hidden === undefined ? [] : [`${named}: U+${hidden.codePointAt(0)?.toString(16)}`]),
      ...(foreign <= MOST ? [] : [`${named}: ${foreign} foreign characters`]),
      ...(/^ERROR waymark/m.test(message) ? [`${named}: a forged line`] : []),
    ]
  })
}
