import {
  LARGEST_CONTENT,
  LARGEST_TEXT,
  LONGEST_TAG,
  LONGEST_TITLE,
} from '../../../entity/entity.ts'
import { firstCharacters, toStorable } from '../../../support/text/visible-text.ts'

/** Clones that do not know of each other may together write more than one call may send, but not without end. */
const TOGETHER = 10
const MOST_TAGS = 1_000
/** Bytes of a property that is one value; the longest that a call may send is a JSON schema of 10 KiB. */
const LARGEST_PROPERTY = 16 * 1024

/** Empty where nothing is left of it. */
export function toMergedTitle(text: string): string {
  return firstCharacters(toStorable(text).trim(), LONGEST_TITLE).trim()
}

export function toMergedContent(text: string): string {
  return firstBytes(toStorable(text), TOGETHER * LARGEST_CONTENT)
}

/** A text of several lines that is a property. */
export function toMergedText(text: string): string {
  return firstBytes(toStorable(text), TOGETHER * LARGEST_TEXT)
}

/** A property that is one value. */
export function toMergedProperty(text: string): string {
  return firstBytes(toStorable(text), LARGEST_PROPERTY)
}

/** Without those that local input refuses. */
export function toMergedTags(tags: readonly string[]): string[] {
  const storable = tags.map((tag) => toStorable(tag).trim())
  return storable
    .filter((tag) => tag !== '' && firstCharacters(tag, LONGEST_TAG) === tag)
    .slice(0, MOST_TAGS)
}

function firstBytes(text: string, most: number): string {
  // A unit has at most three bytes.
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  // As a stream: what is cut off in the middle of a character is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true })
}
