import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { joinAgent } from '../../src/agent/operations.ts'
import { parseOrigin } from '../../src/agent/origin.ts'
import { toOneLine } from '../../src/annotation/code-text.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { toExcerpt } from '../../src/message/excerpt.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { listPrompts } from '../../src/prompt/operations.ts'
import { cutText } from '../../src/task/spec/prd.ts'
import { toYaml } from '../../src/support/yaml/yaml-text.ts'
import {
  firstCharacters,
  toEscaped,
  toLine,
  toVisible,
  toVisibleData,
  toVisibleJson,
} from '../../src/support/text/visible-text.ts'
import { connect } from '../dialects/client.ts'
import { CLIENT, setupCode } from '../operations/code/code-setup.ts'
import { setup } from '../setup.ts'
import { hiddenIn } from './injections.ts'

/** Ranges of what nobody sees: controls, bidirectional marks, zero-width signs, fillers, selectors, tags. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x01, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
]

const CHARACTERS = RANGES.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
)

describe('what nobody sees', () => {
  it('is shown as its code, each of more than 300 characters, and JSON means the same [hidden-characters-shown-code]', () => {
    expect(CHARACTERS.length).toBeGreaterThan(300)
    for (const character of CHARACTERS) {
      const text = `a${character}b`
      const code = `a\\u{${character.codePointAt(0)?.toString(16)}}b`
      expect([toVisible(text), toLine(text), toEscaped(text)]).toEqual([code, code, code])
      expect(hiddenIn(toVisibleJson({ text }))).toBeUndefined()
      expect(JSON.parse(toVisibleJson({ text }))).toEqual({ text })
    }
  })

  it('is escaped in YAML, which means the same, also beside tabs and line breaks', () => {
    const code = 'func main() {\n\tfoo()\n}'
    const texts = [code, `${code}\n`, `\t${code}`, 'a\tb', '\t', 'a\t\n', 'a: b\t# c']
    const values = texts.flatMap((text) => [
      text,
      ...['\r\n', '\r', '\u202e'].map((end) => text + end),
    ])
    for (const value of [...values, ...CHARACTERS.map((character) => `${code}${character}`)]) {
      for (const whole of [{ value }, { [value]: [value] }]) {
        expect(parse(toYaml(whole))).toEqual(whole)
        expect(hiddenIn(toYaml(whole))).toBeUndefined()
      }
    }
  })

  it('is also half a character, which strict parsers refuse: shown as its code, never made by a cut [hidden-characters-no-halves]', async () => {
    for (const half of ['\ud83d', '\ude00']) {
      const code = `a\\u{${half.charCodeAt(0).toString(16)}}b`
      expect([toVisible(`a${half}b`), toVisibleData(`a${half}b`)]).toEqual([code, code])
    }
    // Any limit in units cuts a pair in one of the two.
    for (const text of ['😀'.repeat(2_000), `x${'😀'.repeat(2_000)}`]) {
      const cut = [
        toExcerpt({ subject: null, body: text }),
        toExcerpt({ subject: text, body: text }),
        firstCharacters(text, 7),
        cutText(text, 100).text,
        toOneLine(text, 100),
        toOneLine(text, 99),
        parseOrigin(JSON.stringify({ author: text }))?.author ?? '',
      ]
      for (const [at, part] of cut.entries()) {
        expect(part.isWellFormed(), String(at)).toBe(true)
        expect(part.length, String(at)).toBeLessThan(text.length)
      }
      await using project = await setup()
      const bob = project.as('bob')
      await execute(bob, joinAgent, {})
      await execute(project.context, sendMessage, { body: text })
      await execute(project.context, createEntity, { type: 'prompt', title: 'p', content: text })
      const said = [await execute(bob, showBrief, {}), await execute(bob, listPrompts, {})]
      // JSON names half a character by its escape.
      expect(JSON.stringify(said)).not.toMatch(/\\ud[89a-f]/)
    }
  })

  it('stays where scripts and emoji are written with it', () => {
    for (const text of ['👩‍👩‍👧', '❤️', '1️⃣', 'می‌خواهم', 'क्‍ष']) {
      expect([toVisible(text), toLine(text)]).toEqual([text, text])
    }
    for (const text of ['i\u200dgnore', '\u200d\u200d', 'a\ufe0f\ufe0fb', '❤️\ufe0f']) {
      expect(hiddenIn(toVisible(text)) === '\ufe0f' || toVisible(text).includes('\\u{')).toBe(true)
      expect(toVisible(text)).not.toBe(text)
    }
  })

  it('is in no text and in no data, in every dialect, and in the store to the byte [hidden-characters-data-byte]', async () => {
    await using native = await connect('waymark')
    const { project } = native
    const title = `seen ${CHARACTERS.slice(0, 200).join('')} end`
    const content = CHARACTERS.join('-')
    await native.call('remember', { type: 'note', title, content })
    await native.call('task_create', { tasks: [{ title, content }] })
    await using medulla = await connect('medulla', { project })
    await using lodestar = await connect('lodestar', { project })
    await using tasky = await connect('tasky', { project })
    const { tasks } = (await tasky.call('search_tasks')) as { tasks: { task_id: string }[] }
    const whole = { max_tokens: 20_000 }
    const answers = [
      await native.result('recall', { id: '1', ...whole }),
      await native.result('task_get', { ids: ['2'], ...whole }),
      await medulla.result('entity_get', { id: '1' }),
      await lodestar.result('lodestar.task.get', { taskId: '2' }),
      await tasky.result('get_tasks', { task_ids: tasks.map((task) => task.task_id) }),
    ]
    for (const { content: blocks, structuredContent } of answers) {
      expect(hiddenIn(blocks.map(({ text }) => text).join('\n'))).toBeUndefined()
      const sent = JSON.stringify(structuredContent)
      expect(hiddenIn(sent)).toBeUndefined()
      expect(sent).not.toMatch(/\\u00[01]/)
      expect(sent).toContain(JSON.stringify(toVisible(content)).slice(1, -1))
    }
    const stored = await project.context.store.entities.byNumber(1)
    expect(stored).toMatchObject({ content })
  })

  it('is visible in names too, and data without it stays the same object', () => {
    expect(toVisibleData({ 'a\u202eb': ['\u0007', 1, null, { x: 'é\n' }] })).toEqual({
      'a\\u{202e}b': ['\\u{7}', 1, null, { x: 'é\n' }],
    })
    const plain = { title: 'Étude', tags: ['a'], nested: { list: [{ n: 1 }] } }
    expect(toVisibleData(plain)).toBe(plain)
  })

  it('is in the data to the byte and in no text of an annotation, in the dialect of those [hidden-characters-data-byte-text]', async () => {
    await using project = await setupCode()
    project.commit('one', { 'client.ts': CLIENT })
    const intent = CHARACTERS.join('-')
    const region = { file: 'client.ts', anchor: 'parse', intent, constraints: [intent] }
    await project.annotate({ summary: intent, regions: [region] })
    const { code = expect.unreachable() } = project.context
    await using ultragit = await connect('ultragit', { project, server: { code } })
    const path = 'client.ts'
    for (const [tool, args] of Object.entries({
      ultragit_read: { path },
      ultragit_history: { path, anchor: 'parse' },
      ultragit_summary: { path },
    })) {
      const { content: blocks } = await ultragit.result(tool, args)
      const text = blocks.map((block) => block.text).join('\n')
      expect(hiddenIn(text), tool).toBeUndefined()
      // Its answers are JSON in a text: there the codes mean the same.
      expect(JSON.stringify(JSON.parse(text)), tool).toContain(JSON.stringify(intent).slice(1, -1))
    }
  })
})
