import { toIso } from './imported-task.ts'

/** A remark of another tool on one of its tasks. */
export interface Comment {
  readonly author?: string | undefined
  /** ISO 8601. */
  readonly at?: string | undefined
  readonly text: string
}

const TIME = /(\d{4}-\d{2}-\d{2}T[\d:.]{8,16}Z): /

/** Comments as a list of Markdown: `- lee, 2026-01-03T00:00:00.000Z: fine`. */
export function toCommentList(comments: readonly Comment[]): string | undefined {
  const items = comments.map(({ author, at, text }) => {
    const who = [author, at].filter((part) => part !== undefined).join(', ')
    return `- ${who === '' ? '' : `${who}: `}${text.trim().replaceAll(/\r?\n/g, '\n  ')}`
  })
  return items.length === 0 ? undefined : items.join('\n')
}

/** The comments of such a list; undefined for any other text. */
export function parseCommentList(list: string): readonly Comment[] | undefined {
  const comments = list.split(/\n(?=- )/).map((item) => {
    const [said = '', at] = TIME.exec(item) ?? []
    const [before = '', ...text] = said === '' ? [] : item.split(said)
    const author =
      before.startsWith('- ') && before.endsWith(', ') ? before.slice(2, -2) : undefined
    return { author, at: toIso(at), text: text.join(said).replaceAll('\n  ', '\n') }
  })
  return toCommentList(comments) === list ? comments : undefined
}
