import type { ByteRange } from './verified.ts'

/** The one range that a request asks for; undefined means all of it, also for what need not be understood. */
export function parseRange(
  headers: Headers,
  size: number,
  etag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const condition = headers.get('if-range')
  if (condition !== null && condition !== etag) return undefined
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '')
  if (found === null) return undefined
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}
