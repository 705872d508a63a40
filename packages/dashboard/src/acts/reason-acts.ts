import type { Output } from '../api.ts'
import { call } from '../data/call.ts'
import { codeWords } from '../text/view/code.ts'
import { type Act, option, quoted } from './act.ts'

/** A reason beside the code that it is about. */
export type Region = Output<'code.show'>['regions'][number]

type Correction = 'amend' | 'flag' | 'remove'

/** Every act on a reason. */
export const REASON_ACTS: readonly Act<Region>[] = [
  {
    id: 'still-true',
    label: codeWords.stillTrue,
    key: 't',
    applies: ({ freshness: { state } }) => state !== 'fresh' && state !== 'orphaned',
    command: (region) => `waymark code reanchor ${placeToday(region)} --record ${region.record}`,
    run: ({ file, ast_anchor, record }, _, idempotencyKey) =>
      call(
        'code.reanchor',
        { path: file, record, ...toAnchor(ast_anchor?.name) },
        { idempotencyKey },
      ),
  },
  toAct('amend', { label: codeWords.amend, key: 'e' }, codeWords.askAmend),
  toAct('flag', { label: codeWords.flag, key: 'f' }, codeWords.askFlag),
  {
    ...toAct('remove', { label: codeWords.withdraw, key: 'Shift+x' }, codeWords.askWithdraw),
    isDanger: true,
  },
]

function toAct(
  type: Correction,
  words: Pick<Act<Region>, 'key' | 'label'>,
  text: string,
): Act<Region> {
  return {
    ...words,
    id: type,
    applies: () => true,
    question: (region) => ({
      text,
      label: words.label,
      isRequired: true,
      ...(type === 'amend' && { initial: intentOf(region) }),
    }),
    command: (region, answer) =>
      `waymark code correct ${placeThen(region)} --record ${region.record} --type ${type}${type === 'amend' ? ` --field intent${option('replacement', answer)}` : ''}${option('reason', answer)}`,
    run: (region, answer, idempotencyKey) =>
      call(
        'code.correct',
        {
          ...thenOf(region),
          record: region.record,
          type,
          reason: answer,
          ...(type === 'amend' && { field: 'intent' as const, replacement: answer }),
        },
        { idempotencyKey },
      ),
  }
}

/** What it says after it was amended. */
export function intentOf({ intent, corrections = [] }: Region): string {
  const amended = corrections.findLast(
    ({ correction_type: type, field }) => type === 'amend' && field === 'intent',
  )
  return amended?.replacement ?? intent
}

/** A correction is about what the annotation names, which may have another name today. */
function thenOf({ file, ast_anchor, freshness: { was } }: Region) {
  return { path: was?.file ?? file, ...toAnchor(was?.anchor ?? ast_anchor?.name) }
}

function toAnchor(name: string | undefined): { anchor?: string } {
  return name === undefined ? {} : { anchor: name }
}

function placeThen(region: Region): string {
  const { path, anchor } = thenOf(region)
  return toPlace(path, anchor)
}

function placeToday({ file, ast_anchor }: Region): string {
  return toPlace(file, ast_anchor?.name)
}

function toPlace(path: string, anchor: string | undefined): string {
  return anchor === undefined ? quoted(path) : `${quoted(path)} ${quoted(anchor)}`
}
