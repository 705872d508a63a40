import { toStorable } from '../../support/text/visible-text.ts'

/** Fields of one line of a register, as they were written by anyone with push access. */
export type Fields = Readonly<Record<string, unknown>>

const LONGEST_NAME = 60
export const HIGHEST_FENCE = 2 ** 48
/** More claims than a project will have: a higher fence is forged, and ends with the register that it came in. */
export const PLAUSIBLE_FENCE = 2 ** 32
/** The end of the year 9999, far from the last time that a date can hold: spans are added to times. */
export const LATEST_TIME = 253_402_300_799_999

export const TASK = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const CLONE = /^[0-9a-f]{8}$/

/** A name as the register takes it; one that was made by this is not changed again. */
export function toName(text: string): string {
  const visible = text.replaceAll(/\p{C}/gu, ' ').trim()
  return Array.from(visible).slice(0, LONGEST_NAME).join('').trim()
}

export function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 4 * LONGEST_NAME && toName(value) === value
}

export function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most
}

export function isText(value: unknown, mostBytes: number): value is string {
  return (
    typeof value === 'string' &&
    Buffer.byteLength(value) <= mostBytes &&
    toStorable(value) === value
  )
}

export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined
  } catch {
    return undefined
  }
}
