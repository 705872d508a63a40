import {
  forgeLine,
  insertText,
  seal,
  setValue,
} from '../../../../packages/waymark/test/replica/hostile-log.ts'
import { nested } from '../odd-values.ts'
import { bodyOf, ENGINE_DEPTHS, keptLine, peerOf, type Production, splice } from './forge.ts'

/** Lines about entities that must stay as they are. */
export const AIMED: Readonly<Record<string, Production>> = {
  others_operations: (forge) => {
    const line = JSON.parse(bodyOf(keptLine(forge))) as {
      u: { changes: { ops: { content: { value?: unknown; text?: string } }[] }[] }
    }
    for (const { ops } of line.u.changes) {
      for (const { content } of ops) {
        if (typeof content.value === 'string') content.value = 'stolen'
        if (content.text !== undefined) content.text = content.text.replaceAll(/./g, 'x')
      }
    }
    return [seal(JSON.stringify(line))]
  },
  same_again: (forge) => [keptLine(forge)],
  nonsense_beside: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    return [forgeLine(id, [insertText('content', 'x', 10_000_000)], peerOf(forge))]
  },
  never_ready: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    const deps = [{ peer: String(forge.random.below(2 ** 30)), counter: forge.random.below(1000) }]
    return [forgeLine(id, [setValue('fields', 'title', 'stolen')], { ...peerOf(forge), deps })]
  },
  wrong_container: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    const map = forge.random.pick(['fields', 'properties', 'list:tags', 'relations', 'status'])
    const text = {
      container: `cid:root-${map}:Text`,
      content: { type: 'insert', pos: 0, text: 'x' },
    }
    const inMap = setValue('text:content', 'a', 'stolen')
    return [text, inMap].map((each) => forgeLine(id, [each], peerOf(forge)))
  },
  deep_beside: (forge) => {
    const { id } = forge.random.pick(forge.targets.kept)
    const line = forgeLine(id, [setValue('fields', 'title', 'PLACE')], peerOf(forge))
    return [splice(line, nested(forge.random.pick(ENGINE_DEPTHS), ['[', ']']))]
  },
}
