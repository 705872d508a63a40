import { Failure } from '../core/error.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** A file's text; the byte order mark is kept apart, because the parsers reject it. */
export interface DecodedText {
  readonly mark: string
  readonly text: string
}

export function decode(bytes: Buffer | undefined): DecodedText {
  const whole = decodeStrictly(bytes ?? Buffer.alloc(0))
  return whole.startsWith(BYTE_ORDER_MARK)
    ? { mark: BYTE_ORDER_MARK, text: whole.slice(1) }
    : { mark: '', text: whole }
}

export function encode({ mark, text }: DecodedText): Buffer {
  return Buffer.from(mark + text, 'utf8')
}

/** Rejects invalid UTF-8, which would not survive a round trip. */
function decodeStrictly(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Failure('invalid_input', 'is not UTF-8 text', { cause })
  }
}
