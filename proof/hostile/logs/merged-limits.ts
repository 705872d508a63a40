import {
  LARGEST_CONTENT,
  LONGEST_TAG,
  LONGEST_TITLE,
} from '../../../packages/waymark/src/entity/entity.ts'

interface Shown {
  readonly number: number
  readonly title?: string
  readonly content?: string | null
  readonly tags?: readonly string[]
  readonly created_by?: string | null
  readonly updated_by?: string | null
  readonly purged?: true
}

const LONGEST_NAME = 100
/** Several clones may add to one text. */
const TOGETHER = 10

/** Which documented limit an entity breaks that came by sync. */
export function breaksLimit(shown: Shown): string | undefined {
  if (shown.purged === true) return undefined
  const { number, title = '', content, tags = [], created_by, updated_by } = shown
  const names = [created_by ?? '', updated_by ?? '']
  if (!Number.isInteger(number) || number < 1 || number > 2 ** 31 - 1) return 'number'
  if (Array.from(title).length > LONGEST_TITLE) return 'title'
  if (tags.some((tag) => Array.from(tag).length > LONGEST_TAG)) return 'tag'
  if (names.some((each) => Array.from(each).length > LONGEST_NAME)) return 'name'
  if (Buffer.byteLength(content ?? '') > TOGETHER * LARGEST_CONTENT) return 'content'
  const texts = [title, content ?? '', ...tags, ...names]
  return texts.some((text) => text.includes('\0') || !isWellFormed(text)) ? 'character' : undefined
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
